package org.pgconcord.testkit.invariant;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import org.pgconcord.config.value.ShardId;

/**
 * What must not be left on a server when nobody works any more (I9): prepared transactions,
 * sessions inside a transaction, and replication slots beyond those that were there before.
 */
public final class Residue {
  private static final String PREPARED =
      "SELECT 'prepared transaction ' || gid || ' of ' || owner FROM pg_prepared_xacts";

  private static final String SESSIONS =
      "SELECT concat_ws(' ', 'session', pid, usename, application_name, state, left(query, 80))"
          + " FROM pg_stat_activity WHERE backend_type = 'client backend'"
          + " AND pid <> pg_backend_pid() AND state LIKE 'idle in transaction%'";

  private static final long POLL_NANOS = Duration.ofMillis(50).toNanos();

  private static final String SLOTS = "SELECT slot_name FROM pg_replication_slots";

  private final Sessions sessions;
  private final Map<ShardId, List<String>> slots = new TreeMap<>();

  /** Remembers the slots that are there now; {@code sessions} must see everybody's activity. */
  public Residue(List<ShardId> shards, Sessions sessions) throws SQLException {
    this.sessions = sessions;
    for (ShardId shard : shards) {
      slots.put(shard, ask(shard, SLOTS));
    }
  }

  public List<Violation> violations() throws SQLException {
    List<Violation> found = new ArrayList<>();
    for (ShardId shard : slots.keySet()) {
      List<String> left = new ArrayList<>(ask(shard, PREPARED));
      left.addAll(ask(shard, SESSIONS));
      List<String> leaked = ask(shard, SLOTS);
      leaked.removeAll(slots.getOrDefault(shard, List.of()));
      leaked.forEach(slot -> left.add("slot " + slot));
      left.forEach(each -> found.add(new Violation("I9", shard.uid(), each)));
    }
    return found;
  }

  /**
   * What is left after {@code limit} at the latest: engines that work are inside a transaction now
   * and then, and only what stays is residue.
   */
  public List<Violation> awaitNone(Duration limit) throws SQLException {
    long begin = System.nanoTime();
    List<Violation> found = violations();
    while (!found.isEmpty() && System.nanoTime() - begin < limit.toNanos()) {
      LockSupport.parkNanos(POLL_NANOS);
      found = violations();
    }
    return found;
  }

  private List<String> ask(ShardId shard, String query) throws SQLException {
    try (Connection connection = sessions.open(shard);
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      List<String> answers = new ArrayList<>();
      while (row.next()) {
        answers.add(row.getString(1));
      }
      return answers;
    }
  }
}
