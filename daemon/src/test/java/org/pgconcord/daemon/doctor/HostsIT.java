package org.pgconcord.daemon.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.settings.DaemonSettings;
import org.pgconcord.config.settings.ShardAddress;
import org.pgconcord.config.settings.ShardConnections;
import org.pgconcord.config.settings.ShardSettings;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.testkit.cluster.ClusterRoles;
import org.pgconcord.testkit.cluster.ShardCluster;
import org.pgconcord.testkit.cluster.ShardProcess;

/** What doctor says of a shard's other servers, held against real ones. */
class HostsIT {
  private static final Duration SLOW = Duration.ofSeconds(60);

  @Test
  void everyServerOfAShardIsLookedAt() throws Exception {
    try (ShardCluster cluster = ShardCluster.start(2)) {
      ShardId shard = cluster.shards().get(0);
      ShardProcess primary = cluster.shard(shard);
      ShardProcess another = cluster.shard(cluster.shards().get(1));
      ShardProcess standby = cluster.startReplica(shard);
      List<ShardAddress> hosts = addresses(primary, standby, another);
      List<ShardAddress> replicas = List.of(new ShardAddress("127.0.0.1", 1));

      assertThat(said(shard, hosts, replicas))
          .anyMatch(line -> line.equals("OK " + place(shard, primary) + ": the primary"))
          .anyMatch(line -> line.startsWith("OK " + place(shard, standby) + ": a standby, "))
          .anyMatch(
              line -> line.startsWith("FAILED " + place(shard, another) + ": this is another"))
          .anyMatch(line -> line.startsWith("WARNING shard-a at 127.0.0.1:1: the server does not"));
      assertThat(said(shard, addresses(primary), addresses(primary, standby)))
          .filteredOn(line -> line.contains(place(shard, standby)))
          .singleElement()
          .asString()
          .startsWith("OK");
      assertThat(said(shard, addresses(primary), List.of())).isEmpty();

      try (Connection superuser = cluster.asSuperuser(standby);
          Statement statement = superuser.createStatement()) {
        statement.execute("SELECT pg_promote()");
      }
      await()
          .atMost(SLOW)
          .untilAsserted(
              () ->
                  assertThat(said(shard, addresses(standby, primary), List.of()))
                      .anyMatch(
                          line ->
                              line.startsWith("FAILED " + place(shard, primary))
                                  && line.contains("takes writes too")));
    }
  }

  private static List<ShardAddress> addresses(ShardProcess... servers) {
    return Stream.of(servers).map(s -> new ShardAddress("127.0.0.1", s.port())).toList();
  }

  private static String place(ShardId shard, ShardProcess server) {
    return shard + " at 127.0.0.1:" + server.port();
  }

  private static List<String> said(
      ShardId shard, List<ShardAddress> hosts, List<ShardAddress> replicas) {
    DaemonSettings settings =
        new DaemonSettings(
            Optional.empty(),
            new DaemonSettings.Router(
                new ShardAddress("127.0.0.1", 6432),
                DaemonSettings.Auth.TRUST,
                Optional.empty(),
                Duration.ofSeconds(30),
                Duration.ZERO),
            new DaemonSettings.Admin(new ShardAddress("127.0.0.1", 9432)),
            Path.of("state"),
            ShardCluster.DATABASE,
            new DaemonSettings.ServiceRole(ClusterRoles.SERVICE, Optional.empty()),
            new TreeMap<>(Map.of(shard, new ShardSettings(hosts, replicas, "disable", Map.of()))));
    return new Doctor(settings, ShardConnections.of(settings, Map.of()), Optional.empty())
        .examine().stream()
            .filter(check -> check.id().equals("server/host"))
            .map(check -> check.level() + " " + check.where() + ": " + check.message())
            .toList();
  }
}
