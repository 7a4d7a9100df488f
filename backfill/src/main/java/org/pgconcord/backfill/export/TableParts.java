package org.pgconcord.backfill.export;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.pgconcord.backfill.BackfillOptions;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.TableName;

/** Cuts an owner table, partitions included, into parts of even size. */
final class TableParts {
  private static final String LEAVES =
      "SELECT c.oid::regclass::text, pg_relation_filenode(c.oid), pg_relation_size(c.oid),"
          + " current_setting('block_size')::bigint, greatest(c.reltuples, 0)::float8, c.relpages"
          + " FROM (SELECT to_regclass(?)::oid AS root) t JOIN pg_class c ON c.oid = t.root OR"
          + " c.oid IN (SELECT relid FROM pg_partition_tree(t.root) WHERE isleaf)"
          + " WHERE c.relkind = 'r' ORDER BY c.oid";

  /** A guess for a table that was never analysed: a hundred bytes a row. */
  private static final double ROWS_PER_BYTE_UNKNOWN = 0.01;

  private TableParts() {}

  /** The parts and about how many rows they have. */
  record Parts(List<BlockRange> ranges, long rowsEstimated) {}

  private record Leaf(String name, long file, long bytes, long blockSize, double rows) {}

  /**
   * Reads the parts in a transaction that keeps ACCESS SHARE on the table to its end: nobody can
   * rewrite the heap meanwhile, so a row's ctid means the same to all who read the parts.
   */
  static Parts read(Connection transaction, TableName table, long leastBytes) throws SQLException {
    try (Statement lock = transaction.createStatement()) {
      lock.execute("LOCK TABLE " + table.quoted() + " IN ACCESS SHARE MODE");
    }
    List<Leaf> leaves = leaves(transaction, table);
    long bytes = leaves.stream().mapToLong(Leaf::bytes).sum();
    long partBytes = Math.max(leastBytes, bytes / BackfillOptions.MAX_RUNS + 1);
    List<BlockRange> ranges = new ArrayList<>();
    leaves.forEach(leaf -> cut(leaf, partBytes, ranges));
    return new Parts(ranges, (long) leaves.stream().mapToDouble(Leaf::rows).sum());
  }

  private static void cut(Leaf leaf, long partBytes, List<BlockRange> into) {
    long step = Math.max(1, partBytes / leaf.blockSize);
    long blocks = leaf.bytes / leaf.blockSize;
    long from = 0;
    for (; from + step < blocks; from += step) {
      into.add(new BlockRange(leaf.name, leaf.file, from, from + step));
    }
    into.add(new BlockRange(leaf.name, leaf.file, from, -1));
  }

  private static List<Leaf> leaves(Connection transaction, TableName table) throws SQLException {
    List<Leaf> leaves = new ArrayList<>();
    try (PreparedStatement statement = transaction.prepareStatement(LEAVES)) {
      statement.setString(1, table.quoted());
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          long bytes = row.getLong(3);
          long blockSize = row.getLong(4);
          long analysedBytes = row.getLong(6) * blockSize;
          double density = analysedBytes > 0 ? row.getDouble(5) / analysedBytes : 0;
          leaves.add(
              new Leaf(
                  row.getString(1),
                  row.getLong(2),
                  bytes,
                  blockSize,
                  bytes * (density > 0 ? density : ROWS_PER_BYTE_UNKNOWN)));
        }
      }
    }
    if (leaves.isEmpty()) {
      throw ErrorCode.BACKFILL_FAILED.because("table " + table + " has no heap to read");
    }
    return leaves;
  }
}
