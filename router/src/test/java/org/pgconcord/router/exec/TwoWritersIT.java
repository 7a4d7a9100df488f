package org.pgconcord.router.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.pgconcord.router.exec.CopiesRouter.COUNTRIES;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.value.ShardId;

/** Two clients that write one row of a reference table, or of a key that several rows share. */
class TwoWritersIT {
  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final ShardId A = new ShardId("shard-a");

  private static final String DOCUMENT =
      """
      {"authoritative_shard_group": "meta",
       "shard_indexes": {"by_tenant": {"type": "xxhash", "columns": ["tenant_id"]}},
       "shard_groups": [
         {"uid": "meta", "key_ranges": [{"shard_uid": "shard-a"}]},
         {"uid": "data", "default_shard_index": "by_tenant", "key_ranges": [
           {"shard_uid": "shard-a", "end": "80"}, {"shard_uid": "shard-b", "start": "80"}]}],
       "databases": {"app": {
         "global_secondary_indexes": {"by_name": {
           "schema": "public", "table": "users_by_name", "owner_table": "users",
           "columns": ["name"], "owner_sk_columns": ["tenant_id"],
           "owner_pk_columns": ["user_id"], "unique": false, "ignore_null": true,
           "enabled": false}},
         "schemas": {"public": {"tables": {
           "users": {"shard_group": "data",
             "secondary_indexes": [{"name": "by_name", "columns": ["name"]}]},
           "users_by_name": {"shard_group": "meta"}}}}}}}
      """;

  private static final List<String> DDL =
      List.of(
          "CREATE TABLE users (tenant_id bigint, user_id bigint, name text,"
              + " PRIMARY KEY (tenant_id, user_id))",
          "CREATE INDEX ON users (name)",
          "ALTER TABLE users REPLICA IDENTITY FULL");

  /** The second writer's statements see what the first has committed on every copy. */
  @Test
  void twoWritersOfAReferenceTableTakeTurns() throws Exception {
    try (CopiesRouter router = new CopiesRouter();
        Connection first = router.connect();
        Connection second = router.connect()) {
      run(first, "INSERT INTO countries VALUES ('FI', '0')");
      first.setAutoCommit(false);
      run(first, "UPDATE countries SET name = name || '1' WHERE code = 'FI'");
      CompletableFuture<String> other =
          later(second, "UPDATE countries SET name = name || '2' WHERE code = 'FI'");
      await()
          .atMost(LIMIT)
          .until(
              () -> {
                try (Connection leader = router.cluster.asSuperuser(A)) {
                  return DeclaredRouter.rows(
                          leader,
                          "SELECT count(*) FROM pg_locks WHERE NOT granted"
                              + " AND locktype = 'advisory'")
                      .equals(List.of("1"));
                }
              });
      assertThat(other).isNotDone();
      first.commit();
      assertThat(other.join()).isEqualTo("done");
      assertThat(router.checker(COUNTRIES).violations(Set.of())).isEmpty();
      try (Connection leader = router.cluster.asOwner(A)) {
        assertThat(DeclaredRouter.rows(leader, "SELECT name FROM countries"))
            .containsExactly("012");
      }
    }
  }

  /** Entries of one key are told apart by their rows: each goes and comes with its own. */
  @Test
  void rowsThatShareAKeyComeAndGoWithoutEachOther() throws Exception {
    try (DeclaredRouter router = new DeclaredRouter(2, DOCUMENT, DDL);
        Connection first = router.connect("simple");
        Connection second = router.connect("simple")) {
      for (int tenant = 1; tenant <= 6; tenant++) {
        run(first, insert(tenant, 1));
        first.setAutoCommit(false);
        run(first, "DELETE FROM users WHERE tenant_id = " + tenant + " AND user_id = 1");
        run(second, insert(tenant, 2));
        first.commit();
        first.setAutoCommit(true);
        assertThat(router.violations()).isEmpty();
      }
      assertThat(entries(router)).isEqualTo("6");
    }
  }

  /** Who loses the race for the row leaves the winner's entry alone. */
  @Test
  void oneRowThatTwoInsertKeepsItsEntry() throws Exception {
    try (DeclaredRouter router = new DeclaredRouter(2, DOCUMENT, DDL);
        Connection first = router.connect("simple");
        Connection second = router.connect("simple")) {
      for (int tenant = 1; tenant <= 6; tenant++) {
        first.setAutoCommit(false);
        run(first, insert(tenant, 1));
        CompletableFuture<String> other = later(second, insert(tenant, 1));
        await().atMost(LIMIT).until(() -> waiting(router) > 0);
        first.commit();
        first.setAutoCommit(true);
        assertThat(other.join()).isEqualTo("23505");
        assertThat(router.violations()).isEmpty();
      }
      assertThat(entries(router)).isEqualTo("6");
    }
  }

  private static String entries(DeclaredRouter router) throws SQLException {
    try (Connection home = router.cluster.asSuperuser(A)) {
      return DeclaredRouter.rows(home, "SELECT count(*) FROM users_by_name").get(0);
    }
  }

  private static long waiting(DeclaredRouter router) throws SQLException {
    long waiting = 0;
    for (ShardId shard : router.cluster.shards()) {
      waiting +=
          Long.parseLong(
              router.direct(shard, "SELECT count(*) FROM pg_locks WHERE NOT granted").get(0));
    }
    return waiting;
  }

  private static String insert(int tenant, int user) {
    return "INSERT INTO users VALUES (%d, %d, 'shared')".formatted(tenant, user);
  }

  private static CompletableFuture<String> later(Connection client, String sql) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            run(client, sql);
            return "done";
          } catch (SQLException e) {
            return e.getSQLState();
          }
        });
  }

  private static void run(Connection client, String sql) throws SQLException {
    try (Statement statement = client.createStatement()) {
      statement.execute(sql);
    }
  }
}
