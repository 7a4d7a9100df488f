package org.pgconcord.config.schema;

/** The catalog queries of {@link SchemaReader}; every name is qualified by its schema. */
final class SchemaSql {
  private SchemaSql() {}

  /**
   * A trigger without bit 2 of its type fires after rows are stored. Of a partitioned table the
   * leaves count: the estimate is their sum, and the replica identity is full only if each leaf's
   * is, for the setting of the parent means nothing to them. The family is what has the rows: the
   * table, or its leaves, and its children.
   */
  static final String RELATIONS =
      """
      SELECT c.oid, n.nspname, c.relname, c.relkind::text,
             CASE WHEN c.relkind <> 'p' THEN c.relreplident::text
                  WHEN leaves.full_identity THEN 'f' ELSE 'n' END,
             c.relrowsecurity,
             CASE WHEN c.relkind <> 'p' THEN greatest(c.reltuples, 0)::bigint
                  ELSE leaves.row_count END,
             EXISTS (SELECT 1 FROM pg_catalog.pg_trigger t
                     WHERE t.tgrelid = c.oid AND NOT t.tgisinternal AND t.tgenabled <> 'D'
                       AND t.tgtype & 2 = 0)
               OR c.relkind IN ('r', 'p')
                 AND EXISTS (SELECT 1 FROM pg_catalog.pg_rewrite r WHERE r.ev_class = c.oid),
             family.children, family.unlogged, family.foreign_tables, family.untold
      FROM unnest(?::text[], ?::text[]) AS wanted(schema_name, table_name)
      JOIN pg_catalog.pg_namespace n ON n.nspname = wanted.schema_name
      JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relname = wanted.table_name
      LEFT JOIN LATERAL (
        SELECT coalesce(sum(greatest(l.reltuples, 0)), 0)::bigint AS row_count,
               coalesce(bool_and(l.relreplident = 'f'), false) AS full_identity
        FROM pg_catalog.pg_partition_tree(c.oid) p
        JOIN pg_catalog.pg_class l ON l.oid = p.relid
        WHERE p.isleaf AND c.relkind = 'p') AS leaves ON true
      CROSS JOIN LATERAL (
        SELECT coalesce(array_agg(m.name) FILTER (WHERE m.child), '{}') AS children,
               coalesce(array_agg(m.name) FILTER (WHERE m.relpersistence <> 'p'), '{}') AS unlogged,
               coalesce(array_agg(m.name) FILTER (WHERE m.relkind = 'f'), '{}') AS foreign_tables,
               coalesce(array_agg(m.name) FILTER (WHERE m.relreplident <> 'f'), '{}') AS untold
        FROM (
          SELECT pg_catalog.format('%I.%I', mn.nspname, mc.relname) AS name,
                 c.relkind = 'r' AND mc.oid <> c.oid AS child,
                 mc.relpersistence, mc.relkind, mc.relreplident
          FROM pg_catalog.pg_class mc
          JOIN pg_catalog.pg_namespace mn ON mn.oid = mc.relnamespace
          WHERE mc.relkind IN ('r', 'f') AND (mc.oid = c.oid
            OR mc.oid IN (SELECT p.relid FROM pg_catalog.pg_partition_tree(c.oid) p WHERE p.isleaf)
            OR c.relkind = 'r' AND mc.oid IN (SELECT i.inhrelid FROM pg_catalog.pg_inherits i
                                               WHERE i.inhparent = c.oid))
          ORDER BY 1) AS m) AS family
      WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f')
      """;

  /**
   * Domains are followed to the type beneath, which alone decides how a value routes; the domain at
   * the bottom has its modifier. A domain's default and NOT NULL are the column's as well. A
   * column's sequence is what its default depends on, or what belongs to its identity; a default
   * may also ask for one by a name that is looked up when the row comes.
   */
  static final String COLUMNS =
      """
      WITH RECURSIVE base(type_oid, root, modifier, required) AS (
        SELECT DISTINCT a.atttypid, a.atttypid, NULL::integer, false
        FROM pg_catalog.pg_attribute a WHERE a.attrelid = ANY (?) AND NOT a.attisdropped
        UNION ALL
        SELECT b.type_oid, t.typbasetype, t.typtypmod, b.required OR t.typnotnull
        FROM base b JOIN pg_catalog.pg_type t ON t.oid = b.root AND t.typtype = 'd')
      SELECT a.attrelid, a.attname, a.attnum, a.atttypid::bigint,
             pg_catalog.format_type(a.atttypid, a.atttypmod),
             CASE WHEN cn.nspname = 'pg_catalog' THEN co.collname::text
                  ELSE cn.nspname || '.' || co.collname END,
             coalesce(co.collisdeterministic, true),
             a.attnotnull OR b.required,
             a.atthasdef OR a.attidentity <> '' OR own.typdefault IS NOT NULL,
             r.oid::bigint, r.typtype::text, a.attgenerated <> '',
             numbering.seqstart, numbering.seqincrement,
             pg_catalog.format_type(r.oid, coalesce(b.modifier, a.atttypmod)),
             numbering.nspname, numbering.relname, a.attidentity = 'a',
             numbering.seqmin, numbering.seqmax, numbering.seqcycle,
             a.attidentity <> '' OR pg_catalog.pg_get_expr(def.adbin, def.adrelid)
               ~ '^nextval[(]''[^()]*''::regclass[)]$',
             coalesce(pg_catalog.pg_get_expr(def.adbin, def.adrelid), own.typdefault)
               ~ 'nextval[(]',
             coalesce(pg_catalog.pg_get_expr(def.adbin, def.adrelid), own.typdefault)
      FROM base b
      JOIN pg_catalog.pg_type r ON r.oid = b.root AND r.typtype <> 'd'
      JOIN pg_catalog.pg_attribute a ON a.atttypid = b.type_oid
      JOIN pg_catalog.pg_type own ON own.oid = b.type_oid
      LEFT JOIN pg_catalog.pg_collation co ON co.oid = a.attcollation
      LEFT JOIN pg_catalog.pg_namespace cn ON cn.oid = co.collnamespace
      LEFT JOIN pg_catalog.pg_attrdef def ON def.adrelid = a.attrelid AND def.adnum = a.attnum
      LEFT JOIN LATERAL (
        SELECT s.seqstart, s.seqincrement, s.seqmin, s.seqmax, s.seqcycle, sn.nspname, sc.relname
        FROM (
          SELECT x.refobjid
          FROM pg_catalog.pg_depend x
          WHERE x.classid = 'pg_catalog.pg_attrdef'::regclass AND x.objid = def.oid
            AND x.refclassid = 'pg_catalog.pg_class'::regclass
          UNION ALL
          SELECT x.objid
          FROM pg_catalog.pg_depend x
          WHERE x.classid = 'pg_catalog.pg_class'::regclass AND x.deptype = 'i'
            AND x.refclassid = 'pg_catalog.pg_class'::regclass
            AND x.refobjid = a.attrelid AND x.refobjsubid = a.attnum) AS its(oid)
        JOIN pg_catalog.pg_sequence s ON s.seqrelid = its.oid
        JOIN pg_catalog.pg_class sc ON sc.oid = s.seqrelid
        JOIN pg_catalog.pg_namespace sn ON sn.oid = sc.relnamespace
        LIMIT 1) AS numbering ON true
      WHERE a.attrelid = ANY (?) AND a.attnum > 0 AND NOT a.attisdropped
      ORDER BY a.attrelid, a.attnum
      """;

  /**
   * An index is searchable when a lookup by equality of its columns may use it and finds all rows:
   * a valid btree, whole, over plain columns, with the type's own equality and the columns' own
   * collations.
   */
  static final String INDEXES =
      """
      SELECT i.indrelid, ic.relname,
             ARRAY(SELECT a.attname::text
                   FROM unnest(i.indkey::int2[]) WITH ORDINALITY AS k(attnum, position)
                   JOIN pg_catalog.pg_attribute a
                     ON a.attrelid = i.indrelid AND a.attnum = k.attnum
                   WHERE k.position <= i.indnkeyatts AND k.attnum > 0
                   ORDER BY k.position),
             i.indisunique AND NOT i.indisexclusion, i.indisprimary,
             am.amname = 'btree' AND i.indisvalid AND i.indisready AND i.indislive
               AND i.indpred IS NULL AND i.indexprs IS NULL
               AND NOT EXISTS (
                 SELECT 1
                 FROM unnest(i.indkey::int2[], i.indcollation::oid[], i.indclass::oid[])
                      WITH ORDINALITY AS k(attnum, collation_oid, class_oid, position)
                 JOIN pg_catalog.pg_attribute a
                   ON a.attrelid = i.indrelid AND a.attnum = k.attnum
                 JOIN pg_catalog.pg_opclass oc ON oc.oid = k.class_oid
                 WHERE k.position <= i.indnkeyatts
                   AND (k.collation_oid <> a.attcollation OR NOT oc.opcdefault)),
             i.indimmediate, i.indisreplident
      FROM pg_catalog.pg_index i
      JOIN pg_catalog.pg_class ic ON ic.oid = i.indexrelid
      JOIN pg_catalog.pg_am am ON am.oid = ic.relam
      WHERE i.indrelid = ANY (?)
      ORDER BY i.indrelid, NOT i.indisprimary, ic.relname
      """;

  static final String DATABASE =
      """
      SELECT pg_catalog.pg_encoding_to_char(encoding), datlocprovider::text, datcollate::text,
             coalesce(to_jsonb(d) ->> 'datlocale', to_jsonb(d) ->> 'daticulocale', '')
      FROM pg_catalog.pg_database d WHERE datname = pg_catalog.current_database()
      """;
}
