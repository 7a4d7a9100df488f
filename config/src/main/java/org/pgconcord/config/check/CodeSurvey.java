package org.pgconcord.config.check;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.pgconcord.config.value.TableName;

/** Reads what there is of code of users in one database of a shard. */
final class CodeSurvey {
  /**
   * Functions of users. Those in C only where PostgreSQL has none of the name. Those of the
   * extension citext, which have the names of PostgreSQL's own, read nothing.
   */
  private static final String OWN =
      """
      own AS (
        SELECT p.*, n.nspname, l.lanname,
               coalesce((SELECT e.extname::text
                         FROM pg_catalog.pg_depend d
                              JOIN pg_catalog.pg_extension e ON e.oid = d.refobjid
                         WHERE d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass
                           AND d.objid = p.oid
                           AND d.refclassid = 'pg_catalog.pg_extension'::pg_catalog.regclass
                           AND d.deptype = 'e'), '') AS extension
        FROM pg_catalog.pg_proc p
             JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
             JOIN pg_catalog.pg_language l ON l.oid = p.prolang
        WHERE n.nspname NOT IN ('pg_catalog', 'information_schema', 'pgconcord')
      )
      """;

  private static final String FUNCTIONS =
      "WITH "
          + OWN
          + """
          SELECT o.nspname, o.proname, pg_catalog.pg_get_function_identity_arguments(o.oid),
                 CASE WHEN parts.code THEN 'aggregate' ELSE o.lanname END, o.extension,
                 o.provolatile, o.prokind = 'f' AND NOT o.proretset,
                 o.prorettype IN ('pg_catalog.trigger'::pg_catalog.regtype,
                                  'pg_catalog.event_trigger'::pg_catalog.regtype),
                 o.pronargs - o.pronargdefaults <= 1
                   AND coalesce((SELECT t.typtype IN ('c', 'p') FROM pg_catalog.pg_type t
                                 WHERE t.oid = o.proargtypes[0]), false),
                 CASE WHEN o.lanname IN ('c', 'internal') THEN '' ELSE o.prosrc END
                   || ' ' || coalesce(pg_catalog.pg_get_function_sqlbody(o.oid), '')
                   || ' ' || coalesce(pg_catalog.pg_get_expr(o.proargdefaults, 0), '')
                   || ' ' || coalesce(parts.names, ''),
                 pg_catalog.md5(pg_catalog.concat_ws(
                   ' ', o.prosrc, o.probin, pg_catalog.pg_get_function_sqlbody(o.oid), o.lanname,
                   o.provolatile, o.proisstrict, o.prosecdef, o.proconfig,
                   pg_catalog.pg_get_expr(o.proargdefaults, 0),
                   pg_catalog.format_type(o.prorettype, NULL)))
          FROM own o
               LEFT JOIN pg_catalog.pg_aggregate a ON a.aggfnoid = o.oid
               CROSS JOIN LATERAL (
                 SELECT coalesce(bool_or(m.lanname NOT IN ('c', 'internal')), false),
                        pg_catalog.string_agg(m.proname, ' ')
                 FROM own m
                 WHERE m.oid IN (a.aggtransfn, a.aggfinalfn, a.aggcombinefn, a.aggserialfn,
                                 a.aggdeserialfn, a.aggmtransfn, a.aggminvtransfn, a.aggmfinalfn)
               ) parts(code, names)
          WHERE o.extension <> 'citext'
            AND (o.lanname NOT IN ('c', 'internal') OR parts.code
                 OR NOT EXISTS (
                   SELECT FROM pg_catalog.pg_proc b
                   WHERE b.proname = o.proname
                     AND b.pronamespace = 'pg_catalog'::pg_catalog.regnamespace))
          """;

  private static final String RELATIONS =
      """
      SELECT n.nspname, c.relname
      FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND c.relpersistence <> 't'
        AND n.nspname NOT IN ('pgconcord', 'pg_catalog', 'information_schema')
        AND n.nspname NOT LIKE 'pg\\_%'
      """;

  private static final String OPERATORS =
      "WITH "
          + OWN
          + """
          SELECT o.oprname::text, c.proname::text
          FROM pg_catalog.pg_operator o JOIN own c ON c.oid = o.oprcode
          WHERE c.lanname NOT IN ('internal', 'c') AND c.extension <> 'citext'
          """;

  /** A cast, and whatever a statement names to have a value of a type of users that it casts. */
  private static final String CASTS =
      "WITH RECURSIVE "
          + OWN
          + """
          , cast_code AS (
            SELECT CASE WHEN k.castcontext = 'e' THEN 'explicit cast' ELSE 'cast' END AS kind,
                   t.oid, c.proname,
                   t.typnamespace = 'pg_catalog'::pg_catalog.regnamespace AS built_in,
                   k.oid AS cast_oid
            FROM pg_catalog.pg_cast k
                 JOIN own c ON c.oid = k.castfunc
                 JOIN pg_catalog.pg_type t ON t.oid IN (k.castsource, k.casttarget)
            WHERE c.lanname NOT IN ('internal', 'c') AND c.extension <> 'citext'
          ),
          reached(kind, function, class, id) AS (
            SELECT kind, proname, 'pg_catalog.pg_type'::pg_catalog.regclass::oid, oid
            FROM cast_code WHERE NOT built_in
            UNION
            SELECT r.kind, r.function, next.class, next.id
            FROM reached r,
                 LATERAL (
                   SELECT d.classid, d.objid
                   FROM pg_catalog.pg_depend d
                   WHERE d.refclassid = r.class AND d.refobjid = r.id
                     AND d.classid IN ('pg_catalog.pg_type'::pg_catalog.regclass,
                                       'pg_catalog.pg_class'::pg_catalog.regclass,
                                       'pg_catalog.pg_rewrite'::pg_catalog.regclass)
                   UNION ALL
                   SELECT 'pg_catalog.pg_class'::pg_catalog.regclass, w.ev_class
                   FROM pg_catalog.pg_rewrite w
                   WHERE r.class = 'pg_catalog.pg_rewrite'::pg_catalog.regclass AND w.oid = r.id
                 ) next(class, id)
          )
          SELECT r.kind, t.typname::text, r.function::text
          FROM reached r JOIN pg_catalog.pg_type t ON t.oid = r.id
          WHERE r.class = 'pg_catalog.pg_type'::pg_catalog.regclass
          UNION
          SELECT r.kind, c.relname::text, r.function::text
          FROM reached r JOIN pg_catalog.pg_class c ON c.oid = r.id
          WHERE r.class = 'pg_catalog.pg_class'::pg_catalog.regclass
          UNION
          SELECT 'any cast', '', pg_catalog.min(proname::text)
          FROM cast_code GROUP BY cast_oid HAVING bool_and(built_in)
          """;

  /**
   * Which relations have expressions that refer to a function of a user, by an operator too, or to
   * another relation. A domain's checks are those of each table that has a column of it.
   */
  private static final String USES =
      "WITH RECURSIVE "
          + OWN
          + """
          , typed(relid, typid) AS (
            SELECT a.attrelid, a.atttypid FROM pg_catalog.pg_attribute a
            WHERE a.attnum > 0 AND NOT a.attisdropped
            UNION
            SELECT y.relid, next.typid
            FROM typed y JOIN pg_catalog.pg_type t ON t.oid = y.typid,
                 LATERAL (VALUES (t.typbasetype), (t.typelem)) next(typid)
            WHERE next.typid <> 0
          ),
          expression(relid, kind, label, class, id) AS (
            SELECT w.ev_class, 'view', '', 'pg_catalog.pg_rewrite'::pg_catalog.regclass, w.oid
            FROM pg_catalog.pg_rewrite w
            UNION ALL
            SELECT y.polrelid, 'policy', y.polname, 'pg_catalog.pg_policy'::pg_catalog.regclass,
                   y.oid
            FROM pg_catalog.pg_policy y JOIN pg_catalog.pg_class c ON c.oid = y.polrelid
            WHERE c.relrowsecurity
            UNION ALL
            SELECT d.adrelid, 'default', a.attname, 'pg_catalog.pg_attrdef'::pg_catalog.regclass,
                   d.oid
            FROM pg_catalog.pg_attrdef d
                 JOIN pg_catalog.pg_attribute a ON a.attrelid = d.adrelid AND a.attnum = d.adnum
            UNION ALL
            SELECT c.conrelid, 'check', c.conname,
                   'pg_catalog.pg_constraint'::pg_catalog.regclass, c.oid
            FROM pg_catalog.pg_constraint c WHERE c.contype = 'c' AND c.conrelid <> 0
            UNION ALL
            SELECT y.relid, 'check', c.conname,
                   'pg_catalog.pg_constraint'::pg_catalog.regclass, c.oid
            FROM pg_catalog.pg_constraint c JOIN typed y ON y.typid = c.contypid
            WHERE c.contype = 'c'
          )
          SELECT DISTINCT n.nspname, c.relname, x.kind, x.label,
                 coalesce(o.proname::text, ''), coalesce(rn.nspname::text, ''),
                 coalesce(rc.relname::text, '')
          FROM expression x
               JOIN pg_catalog.pg_class c ON c.oid = x.relid
               JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
               JOIN pg_catalog.pg_depend d ON d.classid = x.class AND d.objid = x.id
               LEFT JOIN pg_catalog.pg_operator p
                 ON d.refclassid = 'pg_catalog.pg_operator'::pg_catalog.regclass
                    AND p.oid = d.refobjid
               LEFT JOIN own o
                 ON o.oid = CASE WHEN d.refclassid = 'pg_catalog.pg_proc'::pg_catalog.regclass
                                 THEN d.refobjid ELSE p.oprcode END
               LEFT JOIN pg_catalog.pg_class rc
                 ON d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass
                    AND rc.oid = d.refobjid AND rc.oid <> x.relid
                    AND rc.relkind IN ('r', 'p', 'v', 'm', 'f')
               LEFT JOIN pg_catalog.pg_namespace rn ON rn.oid = rc.relnamespace
          WHERE n.nspname NOT IN ('pgconcord', 'pg_catalog', 'information_schema')
            AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
            AND (o.oid IS NOT NULL OR rc.oid IS NOT NULL)
          """;

  /** Foreign keys, unique and exclusion constraints are kept by triggers. */
  private static final String DEFERS =
      "SELECT EXISTS (SELECT FROM pg_catalog.pg_trigger WHERE tgdeferrable)";

  private CodeSurvey() {}

  static CodeFacts read(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      return new CodeFacts(
          functions(statement),
          relations(statement),
          rows(statement, OPERATORS, r -> new CodeFacts.Operator(r.getString(1), r.getString(2))),
          rows(
              statement,
              CASTS,
              r -> new CodeFacts.Cast(r.getString(1), r.getString(2), r.getString(3))),
          rows(
              statement,
              USES,
              r ->
                  new CodeFacts.Use(
                      new TableName(r.getString(1), r.getString(2)),
                      r.getString(3),
                      r.getString(4),
                      r.getString(5),
                      r.getString(6),
                      r.getString(7))),
          rows(statement, DEFERS, r -> r.getBoolean(1)).get(0));
    }
  }

  private static List<CodeFacts.Function> functions(Statement statement) throws SQLException {
    return rows(
        statement,
        FUNCTIONS,
        r ->
            new CodeFacts.Function(
                r.getString(1),
                r.getString(2),
                r.getString(3),
                r.getString(4),
                r.getString(5),
                r.getString(6).charAt(0),
                r.getBoolean(7),
                r.getBoolean(8),
                r.getBoolean(9),
                r.getString(10),
                r.getString(11)));
  }

  private static Set<TableName> relations(Statement statement) throws SQLException {
    return new HashSet<>(
        rows(statement, RELATIONS, r -> new TableName(r.getString(1), r.getString(2))));
  }

  /** What one row is. */
  private interface RowReader<T> {
    T read(ResultSet row) throws SQLException;
  }

  private static <T> List<T> rows(Statement statement, String sql, RowReader<T> reader)
      throws SQLException {
    List<T> rows = new ArrayList<>();
    try (ResultSet row = statement.executeQuery(sql)) {
      while (row.next()) {
        rows.add(reader.read(row));
      }
    }
    return rows;
  }
}
