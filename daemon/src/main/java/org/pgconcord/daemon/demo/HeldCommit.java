package org.pgconcord.daemon.demo;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.testkit.cluster.CommitHook;
import org.pgconcord.testkit.cluster.ShardCluster;

/**
 * Makes one server wait in the COMMIT of every transaction that inserted a user with one email: a
 * trigger that fires there asks for an advisory lock that is held here.
 */
final class HeldCommit implements AutoCloseable {
  private static final long LOCK = 0x6372617368L;
  private static final CommitHook HOOK = new CommitHook("demo_hold", "users");

  private final Connection holder;

  private HeldCommit(Connection holder) {
    this.holder = holder;
  }

  static HeldCommit begin(ShardCluster cluster, ShardId shard, String email) throws SQLException {
    execute(
        cluster,
        shard,
        HOOK.create(
            "INSERT",
            "NEW.email = '" + email + "'",
            "PERFORM pg_advisory_xact_lock(" + LOCK + ");"));
    Connection holder = cluster.asOwner(shard);
    try (Statement statement = holder.createStatement()) {
      statement.execute("SELECT pg_advisory_lock(" + LOCK + ")");
    }
    return new HeldCommit(holder);
  }

  /** Takes the trigger away again. */
  static void remove(ShardCluster cluster, ShardId shard) throws SQLException {
    execute(cluster, shard, HOOK.drop());
  }

  private static void execute(ShardCluster cluster, ShardId shard, List<String> statements)
      throws SQLException {
    try (Connection owner = cluster.asOwner(shard);
        Statement statement = owner.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  /** Lets the commits go; their server may be gone. */
  @Override
  public void close() throws SQLException {
    holder.close();
  }
}
