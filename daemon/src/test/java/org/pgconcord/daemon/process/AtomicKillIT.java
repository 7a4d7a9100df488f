package org.pgconcord.daemon.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.pgconcord.config.value.ShardId;

/**
 * SIGKILL of the whole daemon, and of a shard, in the middle of a two-phase commit of rows on two
 * shards and of a reference table. A lock on the catalog's table stops the commit where a test
 * wants it.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class AtomicKillIT {
  private static final ShardId A = new ShardId("shard-a");
  private static final ShardId B = new ShardId("shard-b");

  private SampleSystem system;
  private String onA;
  private String onB;

  @BeforeAll
  void start() throws Exception {
    system = SampleSystem.start(200, 1);
    onA = tenantOn(A);
    onB = tenantOn(B);
  }

  @AfterAll
  void stop() {
    system.close();
  }

  private String tenantOn(ShardId shard) throws SQLException {
    try (Connection owner = system.cluster().asOwner(shard)) {
      return ask(owner, "SELECT min(tenant_id) FROM users");
    }
  }

  @Test
  void aDaemonKilledBeforeItRegistersLeavesNothing() throws Exception {
    killAt("atomic_transaction", 0);
  }

  @Test
  void aDaemonKilledBeforeItDecidesLeavesNothing() throws Exception {
    killAt("decision", 2);
  }

  private void killAt(String table, int prepared) throws Exception {
    String mark = "killed at " + table;
    try (DaemonProcess daemon = system.startDaemon();
        Connection lock = system.cluster().asSuperuser(A)) {
      lock.setAutoCommit(false);
      run(lock, "LOCK TABLE pgconcord." + table + " IN SHARE MODE");
      CompletableFuture<Boolean> commit = write(mark);
      awaitBlocked();
      assertThat(prepared()).isEqualTo(prepared);
      daemon.kill();
      assertThat(commit.join()).isFalse();
      lock.rollback();
    }
    try (DaemonProcess daemon = system.startDaemon()) {
      awaitNothingPrepared();
      assertThat(daemon.isAlive()).isTrue();
    }
    assertThat(written(mark)).isZero();
  }

  @Test
  void aShardKilledBetweenThePhasesEndsAsDecided() throws Exception {
    String mark = "shard killed";
    try (DaemonProcess daemon = system.startDaemon();
        Connection lock = system.cluster().asSuperuser(A)) {
      lock.setAutoCommit(false);
      run(lock, "LOCK TABLE pgconcord.decision IN SHARE MODE");
      CompletableFuture<Boolean> commit = write(mark);
      awaitBlocked();
      assertThat(prepared()).isEqualTo(2);
      system.cluster().shard(B).kill();
      lock.rollback();
      awaitDecided();
      assertThat(commit).isNotDone();
      system.cluster().shard(B).start();
      // Once it is told, it is there.
      assertThat(commit.join()).isTrue();
      assertThat(written(mark)).isEqualTo(4);
      awaitNothingPrepared();
      assertThat(daemon.isAlive()).isTrue();
    }
  }

  // --- tools -----------------------------------------------------------------------------------

  /**
   * Renames one user on each shard and a country on all copies in one transaction; true when COMMIT
   * said so.
   */
  private CompletableFuture<Boolean> write(String mark) throws SQLException {
    Connection client = system.router();
    run(client, "SET pgconcord.tx_mode = atomic");
    client.setAutoCommit(false);
    for (String tenant : List.of(onA, onB)) {
      run(
          client,
          "UPDATE users SET name = '%s' WHERE tenant_id = %s AND user_id = %s"
              .formatted(mark, tenant, firstUser(tenant)));
    }
    run(client, "UPDATE countries SET name = '" + mark + "' WHERE code = 'FI'");
    return CompletableFuture.supplyAsync(
        () -> {
          try (client) {
            client.commit();
            return true;
          } catch (SQLException e) {
            return false;
          }
        });
  }

  private String firstUser(String tenant) throws SQLException {
    try (Connection owner = system.cluster().asOwner(tenant.equals(onA) ? A : B)) {
      return ask(owner, "SELECT min(user_id) FROM users WHERE tenant_id = " + tenant);
    }
  }

  /** Users and copies that have the mark. */
  private long written(String mark) throws SQLException {
    long rows = 0;
    for (ShardId shard : List.of(A, B)) {
      try (Connection owner = system.cluster().asOwner(shard)) {
        rows +=
            Long.parseLong(
                ask(
                    owner,
                    "SELECT count(*) FROM (SELECT name FROM users UNION ALL SELECT name FROM"
                        + " countries) AS both_of WHERE name = '%s'".formatted(mark)));
      }
    }
    return rows;
  }

  private int prepared() throws SQLException {
    int prepared = 0;
    for (ShardId shard : List.of(A, B)) {
      try (Connection owner = system.cluster().asOwner(shard)) {
        prepared += Integer.parseInt(ask(owner, "SELECT count(*) FROM pg_prepared_xacts"));
      }
    }
    return prepared;
  }

  private void awaitBlocked() {
    Awaitility.await()
        .atMost(Duration.ofSeconds(30))
        .until(
            () -> {
              try (Connection admin = system.cluster().asSuperuser(A)) {
                return ask(
                        admin,
                        "SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype = 'relation'")
                    .equals("1");
              }
            });
  }

  private void awaitDecided() {
    Awaitility.await()
        .atMost(Duration.ofSeconds(30))
        .until(
            () -> {
              try (Connection home = system.cluster().asSuperuser(A)) {
                return ask(
                        home,
                        "SELECT count(*) FROM pgconcord.decision JOIN pgconcord.atomic_transaction"
                            + " t ON t.id = transaction WHERE finished_at IS NULL")
                    .equals("1");
              }
            });
  }

  private void awaitNothingPrepared() {
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .ignoreExceptions()
        .until(
            () -> {
              try (Connection home = system.cluster().asSuperuser(A)) {
                return prepared() == 0
                    && ask(
                            home,
                            "SELECT count(*) FROM pgconcord.atomic_transaction"
                                + " WHERE finished_at IS NULL")
                        .equals("0");
              }
            });
  }

  private static void run(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static String ask(Connection connection, String query) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      row.next();
      return String.valueOf(row.getString(1));
    }
  }
}
