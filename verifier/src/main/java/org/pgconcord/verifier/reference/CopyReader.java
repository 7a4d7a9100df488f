package org.pgconcord.verifier.reference;

import java.math.BigInteger;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pgconcord.verifier.sum.Digest;
import org.pgconcord.verifier.sum.PinnedSettings;

/**
 * Reads sums of one copy, by buckets of keys or by key. Every read is a transaction of its own with
 * pinned settings. The seeds are the same for all copies of one verification.
 */
final class CopyReader {
  static final int BUCKETS = 1024;
  private static final int FETCH = 2_000;

  private final CopyTable table;
  private final long bucketSeed;
  private final String hashes;

  CopyReader(CopyTable table, SecureRandom random) {
    this.table = table;
    this.bucketSeed = random.nextLong();
    this.hashes =
        "count(*), sum(hashtextextended(rt, %d))::text, sum(hashtextextended(rt, %d))::text"
            .formatted(random.nextLong(), random.nextLong());
  }

  /** What one key has in one copy. */
  record KeyRows(List<String> key, Digest sums) {}

  private String bucket() {
    return "(hashtextextended(kt, " + bucketSeed + ") & " + (BUCKETS - 1) + ")::int";
  }

  /** The sums of each bucket that has rows. */
  Map<Integer, Digest> buckets(Connection connection) throws SQLException {
    String sql =
        "SELECT %s AS b, %s FROM (%s OFFSET 0) r GROUP BY b"
            .formatted(bucket(), hashes, table.rows());
    Map<Integer, Digest> buckets = new HashMap<>();
    read(connection, sql, null, row -> buckets.put(row.getInt(1), digest(row, 2)));
    return buckets;
  }

  /** The rows of some buckets, by key text. */
  Map<String, KeyRows> keysOf(Connection connection, Collection<Integer> buckets)
      throws SQLException {
    List<String> texts = buckets.stream().map(String::valueOf).toList();
    return keys(connection, bucket() + " = ANY (CAST(CAST(? AS text[]) AS int[]))", texts);
  }

  /** The rows of some keys, by key text. */
  Map<String, KeyRows> keys(Connection connection, Collection<String> keyTexts)
      throws SQLException {
    return keys(connection, "kt = ANY (CAST(? AS text[]))", List.copyOf(keyTexts));
  }

  private Map<String, KeyRows> keys(Connection connection, String where, List<String> values)
      throws SQLException {
    String sql =
        "SELECT kt, kv, %s FROM (%s OFFSET 0) r WHERE %s GROUP BY kt, kv"
            .formatted(hashes, table.rows(), where);
    Map<String, KeyRows> keys = new HashMap<>();
    read(
        connection,
        sql,
        values,
        row -> {
          List<String> key = new ArrayList<>();
          for (Object value : (Object[]) row.getArray(2).getArray()) {
            key.add(String.valueOf(value));
          }
          keys.put(row.getString(1), new KeyRows(key, digest(row, 3)));
        });
    return keys;
  }

  /** The columns' texts of the row with one key, NULL as null; empty when it is not there. */
  List<@Nullable String> columns(Connection connection, String keyText) throws SQLException {
    List<@Nullable String> values = new ArrayList<>();
    begin(connection);
    try (PreparedStatement statement = connection.prepareStatement(table.columnsOfKey())) {
      statement.setString(1, keyText);
      try (ResultSet row = statement.executeQuery()) {
        if (row.next()) {
          for (int i = 1; i <= table.columns().size(); i++) {
            values.add(row.getString(i));
          }
        }
      }
    }
    connection.rollback();
    return values;
  }

  private interface RowReader {
    void row(ResultSet row) throws SQLException;
  }

  private static void read(
      Connection connection, String sql, @Nullable List<String> array, RowReader reader)
      throws SQLException {
    begin(connection);
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setFetchSize(FETCH);
      if (array != null) {
        statement.setArray(1, connection.createArrayOf("text", array.toArray()));
      }
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          reader.row(row);
        }
      }
    }
    connection.rollback();
  }

  private static void begin(Connection connection) throws SQLException {
    connection.setAutoCommit(false);
    PinnedSettings.pin(connection);
  }

  private static Digest digest(ResultSet row, int from) throws SQLException {
    return new Digest(
        row.getLong(from),
        new BigInteger(row.getString(from + 1)),
        new BigInteger(row.getString(from + 2)));
  }
}
