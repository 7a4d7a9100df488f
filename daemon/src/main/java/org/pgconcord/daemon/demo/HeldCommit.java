package org.pgconcord.daemon.demo;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.testkit.cluster.ShardCluster;

/**
 * Makes one server wait in the COMMIT of every transaction that inserted a user with one email: a
 * deferred constraint trigger asks for an advisory lock that is held here.
 */
final class HeldCommit implements AutoCloseable {
  private static final long LOCK = 0x6372617368L;

  private final Connection holder;

  private HeldCommit(Connection holder) {
    this.holder = holder;
  }

  static HeldCommit begin(ShardCluster cluster, ShardId shard, String email) throws SQLException {
    try (Connection owner = cluster.asOwner(shard);
        Statement statement = owner.createStatement()) {
      statement.execute(
          "CREATE FUNCTION demo_hold() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
              + " PERFORM pg_advisory_xact_lock("
              + LOCK
              + "); RETURN NULL; END $$");
      statement.execute(
          "CREATE CONSTRAINT TRIGGER demo_hold AFTER INSERT ON users"
              + " DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.email = '"
              + email
              + "') EXECUTE FUNCTION demo_hold()");
    }
    Connection holder = cluster.asOwner(shard);
    try (Statement statement = holder.createStatement()) {
      statement.execute("SELECT pg_advisory_lock(" + LOCK + ")");
    }
    return new HeldCommit(holder);
  }

  /** Takes the trigger away again. */
  static void remove(ShardCluster cluster, ShardId shard) throws SQLException {
    try (Connection owner = cluster.asOwner(shard);
        Statement statement = owner.createStatement()) {
      statement.execute("DROP TRIGGER demo_hold ON users");
      statement.execute("DROP FUNCTION demo_hold()");
    }
  }

  /** Lets the commits go; their server may be gone. */
  @Override
  public void close() throws SQLException {
    holder.close();
  }
}
