package org.pgconcord.router.exec;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.pgconcord.config.replica.Floor;
import org.pgconcord.config.replica.ReplicaWatch;
import org.pgconcord.config.replica.Replicas;
import org.pgconcord.config.replica.Sight;
import org.pgconcord.config.settings.DaemonSettings.ServiceRole;
import org.pgconcord.config.settings.PrimaryWatch;
import org.pgconcord.config.settings.ServicePassword;
import org.pgconcord.config.settings.ShardAddress;
import org.pgconcord.config.settings.ShardConnections;
import org.pgconcord.config.settings.ShardSettings;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.tx.Shards;
import org.pgconcord.testkit.cluster.ClusterRoles;
import org.pgconcord.testkit.cluster.ShardCluster;
import org.pgconcord.testkit.cluster.ShardProcess;
import org.pgconcord.testkit.fixture.TwoShards;

/** A router in front of two shards with a streaming replica each, watched as configured. */
final class ReplicaRig implements AutoCloseable {
  static final Duration SLOW = Duration.ofSeconds(60);

  final LiveRouter router;
  final ShardCluster cluster;
  final ShardProcess replicaOfA;
  final ShardProcess replicaOfB;
  private final Map<ShardId, ShardProcess> primaries = new HashMap<>();
  private final Configured configured = new Configured();
  private Optional<PrimaryWatch> hosts = Optional.empty();

  /** What the router's configuration names; a test names other servers. */
  private static final class Configured implements Replicas {
    private volatile Optional<ReplicaWatch> watch = Optional.empty();

    @Override
    public List<Sight> of(ShardId shard) {
      return watch.map(w -> w.of(shard)).orElse(List.of());
    }

    @Override
    public Optional<Floor> floor(ShardId shard, long moment) {
      return watch.flatMap(w -> w.floor(shard, moment));
    }
  }

  ReplicaRig() throws SQLException {
    router = new LiveRouter(LiveRouter.Extras.with(configured));
    Shards shards = router.shards;
    cluster = shards.cluster;
    replicaOfA = cluster.startReplica(TwoShards.A);
    replicaOfB = cluster.startReplica(TwoShards.B);
    configure(List.of(address(replicaOfA)), List.of(address(replicaOfB)));
  }

  static ShardAddress address(ShardProcess server) {
    return new ShardAddress("127.0.0.1", server.port());
  }

  /** Replicas of a shard are watched beside this server from now on. */
  void primary(ShardId shard, ShardProcess server) {
    primaries.put(shard, server);
  }

  /** It gets nothing of its primary's log any more; where it got it from. */
  String cutOff(ShardProcess standby) throws SQLException {
    String conninfo = at(standby, "SHOW primary_conninfo").get(0);
    follow(standby, "");
    Awaitility.await()
        .atMost(SLOW)
        .until(() -> at(standby, "SELECT 1 FROM pg_stat_wal_receiver").isEmpty());
    return conninfo;
  }

  /** It gets its log from there. */
  void follow(ShardProcess standby, String conninfo) throws SQLException {
    at(standby, "ALTER SYSTEM SET primary_conninfo = '%s'".formatted(conninfo));
    at(standby, "SELECT pg_reload_conf()");
  }

  /** The router reads these from now on, once they have been looked at. */
  void configure(List<ShardAddress> ofA, List<ShardAddress> ofB) {
    ReplicaWatch watch = watch(ofA, ofB);
    watch.start();
    Awaitility.await()
        .atMost(SLOW)
        .until(
            () ->
                List.of(TwoShards.A, TwoShards.B).stream()
                    .map(watch::of)
                    .flatMap(Collection::stream)
                    .noneMatch(sight -> sight.failure().contains("not been asked")));
    configured.watch.ifPresent(ReplicaWatch::close);
    configured.watch = Optional.of(watch);
  }

  private ReplicaWatch watch(List<ShardAddress> ofA, List<ShardAddress> ofB) {
    Map<ShardId, ShardSettings> settings = new HashMap<>();
    Map<ShardId, List<ShardAddress>> replicas = Map.of(TwoShards.A, ofA, TwoShards.B, ofB);
    replicas.forEach(
        (shard, addresses) ->
            settings.put(
                shard,
                new ShardSettings(
                    List.of(address(primaries.getOrDefault(shard, cluster.shard(shard)))),
                    addresses,
                    "disable",
                    Map.of())));
    ServiceRole role = new ServiceRole(ClusterRoles.SERVICE, Optional.empty());
    return new ReplicaWatch(
        new ShardConnections(settings, role.user(), new ServicePassword(role, Map.of())),
        List.of(TwoShards.A, TwoShards.B),
        ShardCluster.DATABASE);
  }

  /** A session on replicas that are at most this old. */
  Connection replicas(String lag) throws SQLException {
    Connection client = router.connect();
    DeclaredRouter.rows(client, "SET pgconcord.target = 'replica'");
    DeclaredRouter.rows(client, "SET pgconcord.max_replica_lag = '%s'".formatted(lag));
    return client;
  }

  /** The hosts of this shard from now on, for the router and for what watches them. */
  void hosts(ShardId shard, ShardProcess... servers) {
    hosts.ifPresent(PrimaryWatch::close);
    router.shards.at(shard, List.of(servers));
    List<ShardAddress> addresses = Stream.of(servers).map(ReplicaRig::address).toList();
    ServiceRole role = new ServiceRole(ClusterRoles.SERVICE, Optional.empty());
    PrimaryWatch watch =
        new PrimaryWatch(
            new ShardConnections(
                Map.of(shard, new ShardSettings(addresses, "disable", Map.of())),
                role.user(),
                new ServicePassword(role, Map.of()),
                router.shards.known()),
            List.of(shard),
            ShardCluster.DATABASE,
            Duration.ofMillis(100));
    watch.start();
    hosts = Optional.of(watch);
  }

  /** As superuser on one server. */
  List<String> at(ShardProcess server, String sql) throws SQLException {
    try (Connection superuser = cluster.asSuperuser(server)) {
      return DeclaredRouter.rows(superuser, sql);
    }
  }

  @Override
  public void close() {
    hosts.ifPresent(PrimaryWatch::close);
    configured.watch.ifPresent(ReplicaWatch::close);
    router.close();
  }
}
