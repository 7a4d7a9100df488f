package org.pgconcord.testkit.invariant;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.pgconcord.config.value.Identifiers;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;

/**
 * Compares every owner row with every entry: each row has its entry (I1), each entry its row (I2),
 * no key two rows (I3). The shards are read one after the other, so what is under way looks broken
 * for a moment: {@link #awaitNone} counts only what stays broken, and names it.
 */
public final class InvariantChecker {
  private static final long POLL_MILLIS = 200;
  private static final int SHOWN_MAX = 20;

  private final IndexUnderTest index;
  private final Shards shards;

  /** Opens a session that may read owner and lookup table. */
  @FunctionalInterface
  public interface Shards {
    Connection open(ShardId shard) throws SQLException;
  }

  private record Owner(ShardId shard, String shardKey) {}

  public InvariantChecker(IndexUnderTest index, Shards shards) {
    this.index = index;
    this.shards = shards;
  }

  /** What is broken, or under way, now. */
  public List<Violation> violations() throws SQLException {
    Map<String, String> entries = entries();
    Map<String, List<Owner>> owners = owners();
    List<Violation> found = new ArrayList<>();
    owners.forEach((key, rows) -> compare(key, rows, entries.get(key), found));
    entries.forEach(
        (key, shardKey) -> {
          if (!owners.containsKey(key)) {
            found.add(new Violation("I2", key, "entry of " + shardKey + " without owner row"));
          }
        });
    return found;
  }

  /**
   * Returns when nothing is broken.
   *
   * @throws AssertionError with the violations that the limit did not cure
   */
  public void awaitNone(Duration limit) throws SQLException {
    long begin = System.nanoTime();
    List<Violation> found = violations();
    while (!found.isEmpty()) {
      if (System.nanoTime() - begin > limit.toNanos()) {
        throw new AssertionError(
            found.size()
                + " violations after "
                + limit.toSeconds()
                + " s:\n  "
                + String.join(
                    "\n  ", found.stream().limit(SHOWN_MAX).map(Violation::toString).toList()));
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(POLL_MILLIS));
      found = violations();
    }
  }

  /** How many owner rows there are; a test that checks an empty table checks nothing. */
  public long ownerRows() throws SQLException {
    return owners().values().stream().mapToLong(List::size).sum();
  }

  private static void compare(
      String key,
      List<Owner> rows,
      @org.jspecify.annotations.Nullable String entry,
      List<Violation> found) {
    if (rows.size() > 1) {
      found.add(new Violation("I3", key, "owner rows " + rows));
    }
    if (entry == null) {
      found.add(new Violation("I1", key, "no entry for " + rows));
    } else if (rows.stream().noneMatch(row -> row.shardKey().equals(entry))) {
      found.add(new Violation("I1", key, "the entry names " + entry + ", the rows are " + rows));
    }
  }

  private Map<String, List<Owner>> owners() throws SQLException {
    Map<String, List<Owner>> owners = new TreeMap<>();
    for (ShardId shard : index.ownerShards()) {
      read(
          shard,
          index.owner(),
          (key, shardKey) ->
              owners.computeIfAbsent(key, k -> new ArrayList<>()).add(new Owner(shard, shardKey)));
    }
    return owners;
  }

  private Map<String, String> entries() throws SQLException {
    Map<String, String> entries = new HashMap<>();
    read(index.lookupShard(), index.lookup(), entries::put);
    return entries;
  }

  private void read(ShardId shard, TableName table, Row sink) throws SQLException {
    String sql =
        "SELECT %s::text, %s::text FROM %s WHERE %1$s IS NOT NULL"
            .formatted(
                Identifiers.quote(index.key()),
                Identifiers.quote(index.shardKey()),
                table.quoted());
    try (Connection connection = shards.open(shard)) {
      connection.setAutoCommit(false);
      try (Statement statement = connection.createStatement()) {
        statement.setFetchSize(10_000);
        try (ResultSet rows = statement.executeQuery(sql)) {
          while (rows.next()) {
            sink.row(rows.getString(1), rows.getString(2));
          }
        }
      }
      connection.rollback();
    }
  }

  @FunctionalInterface
  private interface Row {
    void row(String key, String shardKey);
  }
}
