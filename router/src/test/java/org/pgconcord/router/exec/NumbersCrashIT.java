package org.pgconcord.router.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.testkit.cluster.ClusterRoles;

/** Numbers when the server that gives the blocks dies. */
class NumbersCrashIT {
  private static final ShardId A = new ShardId("shard-a");

  private static final String DOCUMENT =
      """
      {"authoritative_shard_group": "meta",
       "shard_indexes": {
         "tenant": {"type": "modulo", "columns": ["tenant_id"], "index_params": {"modulus": 2}}},
       "shard_groups": [
         {"uid": "meta", "key_ranges": [{"shard_uid": "shard-a"}]},
         {"uid": "data", "default_shard_index": "tenant", "key_ranges": [
           {"shard_uid": "shard-a", "end": "1"},
           {"shard_uid": "shard-b", "start": "1"}]}],
       "databases": {"app": {"schemas": {"public": {
         "tables": {"orders": {"shard_group": "data"}}}}}}}
      """;

  /** On the shard that lives. */
  private static final String INSERT = "INSERT INTO orders (tenant_id) VALUES (1) RETURNING id";

  /** A router keeps its block; one that comes later gets another, however the server ended. */
  @Test
  void aCrashOfTheCatalogsServerGivesNoNumberAgain() throws SQLException {
    List<Long> seen = new ArrayList<>();
    try (DeclaredRouter router =
        new DeclaredRouter(
            2, DOCUMENT, List.of("CREATE TABLE orders (tenant_id int, id bigserial)"))) {
      try (Connection admin = router.cluster.asSuperuser(A)) {
        // What a block has been reserved by must survive where nothing else would have to.
        WholeServer.run(
            admin, "ALTER ROLE " + ClusterRoles.SERVICE + " SET synchronous_commit = off");
        WholeServer.run(admin, "ALTER SYSTEM SET wal_writer_delay = '10s'");
        WholeServer.run(admin, "SELECT pg_reload_conf()");
      }
      try (Connection client = router.connect("extended")) {
        seen.add(number(client));
      }
      int second = router.another();
      try (Connection client = router.connect(second, "extended")) {
        seen.add(number(client));
        router.cluster.shard(A).kill();
        seen.add(number(client));
        assertThatThrownBy(() -> WholeServer.run(client, values(1_000)))
            .as("more than the router has left")
            .isInstanceOf(SQLException.class);
      }
      router.cluster.shard(A).start();
      int third = router.another();
      try (Connection client = router.connect(third, "extended")) {
        seen.add(number(client));
      }
      try (Connection client = router.connect("extended")) {
        seen.add(number(client));
      }
    }
    assertThat(seen).containsExactly(1L, 1001L, 1002L, 2001L, 2L);
  }

  private static String values(int rows) {
    return "INSERT INTO orders (tenant_id) VALUES (1)" + ", (1)".repeat(rows - 1);
  }

  private static long number(Connection client) throws SQLException {
    return Long.parseLong(DeclaredRouter.rows(client, INSERT).get(0));
  }
}
