package org.pgconcord.config.schema;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.pgconcord.config.value.Lsn;
import org.pgconcord.config.value.TableName;

/**
 * What DDL leaves behind: a digest of the catalog rows that define a table, each with the
 * transaction that wrote it. An ALTER that is undone again leaves the same columns and other
 * transactions, so it shows as well; two equal digests mean that no such row was written between
 * them.
 *
 * <p>Rows of the table and of its partitions: the relation, its columns, their defaults and types,
 * indexes, constraints from and to it, triggers, policies, rules. Statistics, vacuum and analyze
 * leave them alone; VACUUM FULL, CLUSTER, TRUNCATE and REINDEX count as DDL, since they write them.
 * Not seen is what leaves no row: an index made and dropped between two looks, which cannot have
 * admitted a row that the table's own definition would not.
 *
 * @param digest 32 hexadecimal digits; {@value #ABSENT} for a table that is not there
 * @param at where the server's log stood when the digest had been read
 */
public record TableTrace(String digest, Lsn at) {
  public static final String ABSENT = "absent";

  private static final String SQL =
      """
      WITH root AS (SELECT pg_catalog.to_regclass(?)::oid AS oid),
      rel AS (
        SELECT oid FROM root WHERE oid IS NOT NULL
        UNION
        SELECT p.relid::oid FROM root, pg_catalog.pg_partition_tree(root.oid::regclass) p
         WHERE root.oid IS NOT NULL),
      typ AS (
        SELECT t.xmin AS version, t.* FROM pg_catalog.pg_type t
         WHERE t.typnamespace <> 'pg_catalog'::regnamespace
           AND t.oid IN (SELECT a.atttypid FROM pg_catalog.pg_attribute a
                           JOIN rel ON rel.oid = a.attrelid)),
      trace AS (
        SELECT 'class ' || concat_ws(' ', c.xmin, c.oid, c.relfilenode, c.relnamespace, c.relname,
                 c.relowner, c.relkind, c.relreplident, c.relrowsecurity, c.relforcerowsecurity)
                 AS line
          FROM pg_catalog.pg_class c JOIN rel USING (oid)
        UNION ALL
        SELECT 'column ' || concat_ws(' ', a.xmin, a.attrelid, a.attnum, a.attname, a.atttypid,
                 a.atttypmod, a.attcollation, a.attnotnull, a.attisdropped, a.attgenerated,
                 a.attidentity)
          FROM pg_catalog.pg_attribute a JOIN rel ON rel.oid = a.attrelid
        UNION ALL
        SELECT 'type ' || concat_ws(' ', t.version, t.oid, t.typbasetype, t.typnotnull,
                 t.typcollation)
          FROM typ t
        UNION ALL
        SELECT 'label ' || concat_ws(' ', e.xmin, e.oid)
          FROM pg_catalog.pg_enum e JOIN typ ON typ.oid = e.enumtypid
        UNION ALL
        SELECT 'default ' || concat_ws(' ', d.xmin, d.oid)
          FROM pg_catalog.pg_attrdef d JOIN rel ON rel.oid = d.adrelid
        UNION ALL
        SELECT 'index ' || concat_ws(' ', i.xmin, i.indexrelid, i.indkey, i.indisunique,
                 i.indisvalid, i.indimmediate, i.indisreplident)
          FROM pg_catalog.pg_index i JOIN rel ON rel.oid = i.indrelid
        UNION ALL
        SELECT 'constraint ' || concat_ws(' ', c.xmin, c.oid)
          FROM pg_catalog.pg_constraint c
         WHERE c.conrelid IN (SELECT oid FROM rel) OR c.confrelid IN (SELECT oid FROM rel)
            OR c.contypid IN (SELECT oid FROM typ)
        UNION ALL
        SELECT 'trigger ' || concat_ws(' ', t.xmin, t.oid, t.tgenabled)
          FROM pg_catalog.pg_trigger t JOIN rel ON rel.oid = t.tgrelid
        UNION ALL
        SELECT 'policy ' || concat_ws(' ', p.xmin, p.oid)
          FROM pg_catalog.pg_policy p JOIN rel ON rel.oid = p.polrelid
        UNION ALL
        SELECT 'rule ' || concat_ws(' ', r.xmin, r.oid)
          FROM pg_catalog.pg_rewrite r JOIN rel ON rel.oid = r.ev_class)
      SELECT coalesce(pg_catalog.md5(
               pg_catalog.string_agg(line, E'\\n' ORDER BY line COLLATE "C")), 'absent'),
             pg_catalog.pg_current_wal_insert_lsn()::text
        FROM trace
      """;

  /** Needs no right on the table. In a transaction with an older snapshot it sees that moment. */
  public static TableTrace read(Connection connection, TableName table) throws SQLException {
    try (PreparedStatement query = connection.prepareStatement(SQL)) {
      query.setString(1, table.quoted());
      try (ResultSet row = query.executeQuery()) {
        row.next();
        return new TableTrace(row.getString(1), Lsn.parse(row.getString(2)));
      }
    }
  }
}
