package org.pgconcord.config.schema;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.TreeMap;
import org.pgconcord.config.value.TableName;

/**
 * The leaves of a partitioned table, and how they came to be its leaves. ATTACH PARTITION brings
 * rows into a table that no stream shows, and no statement.
 */
public final class Partitions {
  /** A leaf's links to its root: each was written by the transaction that attached it. */
  private static final String LEAVES =
      """
      SELECT l.oid::text || pg_catalog.string_agg(':' || i.xmin::text, '' ORDER BY i.inhrelid),
             pg_catalog.format('%I.%I', n.nspname, l.relname),
             min(pg_catalog.age(i.xmin))
        FROM pg_catalog.pg_partition_tree(pg_catalog.to_regclass(?)) t
        JOIN pg_catalog.pg_class l ON l.oid = t.relid
        JOIN pg_catalog.pg_namespace n ON n.oid = l.relnamespace
        JOIN LATERAL pg_catalog.pg_partition_ancestors(l.oid) a ON true
        JOIN pg_catalog.pg_inherits i ON i.inhrelid = a.relid
       WHERE t.isleaf AND t.level > 0 AND l.relkind = 'r'
       GROUP BY l.oid, n.nspname, l.relname
      """;

  private Partitions() {}

  /**
   * One leaf.
   *
   * @param relation its name as SQL takes it
   * @param age in transactions, of its newest link to the root
   */
  public record Leaf(String relation, long age) {}

  /** What tells a leaf and its attachment from all others -> the leaf; empty for a plain table. */
  public static Map<String, Leaf> read(Connection connection, TableName table) throws SQLException {
    Map<String, Leaf> leaves = new TreeMap<>();
    try (PreparedStatement query = connection.prepareStatement(LEAVES)) {
      query.setString(1, table.quoted());
      try (ResultSet row = query.executeQuery()) {
        while (row.next()) {
          leaves.put(row.getString(1), new Leaf(row.getString(2), row.getLong(3)));
        }
      }
    }
    return leaves;
  }

  /**
   * Whether it has a row that may have been there when it became a leaf: one that was not written
   * by a later transaction.
   */
  public static boolean cameWithRows(Connection connection, Leaf leaf) throws SQLException {
    String sql =
        "SELECT EXISTS (SELECT FROM %s l WHERE pg_catalog.age(l.xmin) >= %d)"
            .formatted(leaf.relation(), leaf.age());
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      return row.next() && row.getBoolean(1);
    }
  }
}
