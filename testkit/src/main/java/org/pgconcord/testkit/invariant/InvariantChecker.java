package org.pgconcord.testkit.invariant;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.pgconcord.config.value.Identifiers;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;
import org.pgconcord.config.value.Tuple;

/**
 * Compares every owner row with every entry: each row has its entry (I1), each entry its row (I2),
 * no key two rows (I3). An entry of a sharded lookup table on another shard than its key's counts
 * as one without row (I2). The shards are read one after the other, so what is under way looks
 * broken for a moment: {@link #awaitNone} counts only what stays broken, and names it.
 */
public final class InvariantChecker {
  private static final long POLL_MILLIS = 200;
  private static final int SHOWN_MAX = 20;

  private final IndexUnderTest index;
  private final Sessions shards;

  private record Owner(ShardId shard, Tuple holder) {}

  /** The sessions must be allowed to read owner and lookup table. */
  public InvariantChecker(IndexUnderTest index, Sessions shards) {
    this.index = index;
    this.shards = shards;
  }

  /** What is broken, or under way, now. */
  public List<Violation> violations() throws SQLException {
    List<Violation> found = new ArrayList<>();
    Map<Tuple, Tuple> entries = entries(found);
    Map<Tuple, List<Owner>> owners = owners();
    owners.forEach(
        (identity, rows) -> compare(identity.toString(), rows, entries.get(identity), found));
    entries.forEach(
        (identity, holder) -> {
          if (!owners.containsKey(identity)) {
            found.add(
                new Violation(
                    "I2", identity.toString(), "entry of " + holder + " without owner row"));
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

  /** The keys under which an entry leads to a row. */
  Set<Tuple> mapped() throws SQLException {
    Map<Tuple, Tuple> entries = entries(new ArrayList<>());
    Set<Tuple> mapped = new HashSet<>();
    owners()
        .forEach(
            (identity, rows) -> {
              if (rows.stream().anyMatch(row -> row.holder().equals(entries.get(identity)))) {
                mapped.add(identity.part(0, index.key().size()));
              }
            });
    return mapped;
  }

  private static void compare(
      String key,
      List<Owner> rows,
      @org.jspecify.annotations.Nullable Tuple entry,
      List<Violation> found) {
    if (rows.size() > 1) {
      found.add(new Violation("I3", key, "owner rows " + rows));
    }
    if (entry == null) {
      found.add(new Violation("I1", key, "no entry for " + rows));
    } else if (rows.stream().noneMatch(row -> row.holder().equals(entry))) {
      found.add(new Violation("I1", key, "the entry names " + entry + ", the rows are " + rows));
    }
  }

  private Map<Tuple, List<Owner>> owners() throws SQLException {
    Map<Tuple, List<Owner>> owners = new TreeMap<>();
    for (ShardId shard : index.ownerShards()) {
      read(
          shard,
          index.owner(),
          (identity, holder) ->
              owners
                  .computeIfAbsent(identity, k -> new ArrayList<>())
                  .add(new Owner(shard, holder)));
    }
    return owners;
  }

  private Map<Tuple, Tuple> entries(List<Violation> found) throws SQLException {
    Map<Tuple, Tuple> entries = new HashMap<>();
    for (ShardId shard : index.lookupShards()) {
      read(
          shard,
          index.lookup(),
          (identity, holder) -> {
            if (belongsOn(identity, shard)) {
              entries.put(identity, holder);
            } else {
              found.add(
                  new Violation(
                      "I2", identity.toString(), "entry of " + holder + " astray on " + shard));
            }
          });
    }
    return entries;
  }

  private boolean belongsOn(Tuple identity, ShardId shard) {
    List<String> key = identity.part(0, index.key().size()).values();
    return index.lookupLocator().map(locator -> locator.locate(key).equals(shard)).orElse(true);
  }

  private void read(ShardId shard, TableName table, Row sink) throws SQLException {
    List<String> columns = new ArrayList<>(index.key());
    index.owned().stream().filter(c -> !columns.contains(c)).forEach(columns::add);
    int identity = index.unique() ? index.key().size() : columns.size();
    String sql =
        "SELECT %s FROM %s WHERE %s"
            .formatted(
                each(columns, c -> c + "::text", ", "),
                table.quoted(),
                each(index.key(), c -> c + " IS NOT NULL", " AND "));
    try (Connection connection = shards.open(shard)) {
      connection.setAutoCommit(false);
      try (Statement statement = connection.createStatement()) {
        statement.setFetchSize(10_000);
        try (ResultSet rows = statement.executeQuery(sql)) {
          while (rows.next()) {
            List<String> values = new ArrayList<>();
            for (int column = 1; column <= columns.size(); column++) {
              values.add(String.valueOf(rows.getString(column)));
            }
            Tuple row = new Tuple(values);
            sink.row(row.part(0, identity), row.part(identity, row.size()));
          }
        }
      }
      connection.rollback();
    }
  }

  private static String each(List<String> columns, UnaryOperator<String> text, String between) {
    return columns.stream().map(Identifiers::quote).map(text).collect(Collectors.joining(between));
  }

  @FunctionalInterface
  private interface Row {
    void row(Tuple identity, Tuple holder);
  }
}
