package org.pgconcord.router.tx;

import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.pgconcord.config.settings.KnownServers;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.Tuple;
import org.pgconcord.gsi.LookupDdl;
import org.pgconcord.gsi.LookupIndex;
import org.pgconcord.gsi.Outcome;
import org.pgconcord.gsi.SettlementRunner;
import org.pgconcord.router.auth.BackendSecret;
import org.pgconcord.router.backend.BackendConnector;
import org.pgconcord.router.backend.BackendEvents;
import org.pgconcord.router.backend.BackendRole;
import org.pgconcord.router.backend.BackendTarget;
import org.pgconcord.router.backend.Backends;
import org.pgconcord.router.backend.PrimaryWaits;
import org.pgconcord.router.backend.SessionBackends;
import org.pgconcord.router.backend.SettingsRecorder;
import org.pgconcord.router.backend.ShardDirectory;
import org.pgconcord.testkit.cluster.ShardCluster;
import org.pgconcord.testkit.cluster.ShardProcess;
import org.pgconcord.testkit.fixture.TwoShards;
import org.pgconcord.testkit.fixture.UsersByEmail;

/** Two real shards with the users table and its index, and a checker for both. */
public final class Shards implements AutoCloseable {
  public final ShardCluster cluster = ShardCluster.start(2);
  private final MultiThreadIoEventLoopGroup loops =
      new MultiThreadIoEventLoopGroup(2, NioIoHandler.newFactory());
  private final KnownServers known = new KnownServers();
  private final Map<ShardId, List<ShardProcess>> moved = new ConcurrentHashMap<>();
  private final LookupIndex index;
  private final SettlementRunner settlements;
  private final Map<ShardId, Connection> admins = new ConcurrentHashMap<>();

  public Shards() throws SQLException {
    this(UsersIndex.INDEX);
  }

  public Shards(LookupIndex index) throws SQLException {
    this.index = index;
    this.settlements = new SettlementRunner(index, cluster::asService, Duration.ofSeconds(5));
    for (ShardId shard : cluster.shards()) {
      try (Connection owner = cluster.asOwner(shard);
          Statement statement = owner.createStatement()) {
        statement.execute(UsersByEmail.table(false));
      }
      admins.put(shard, cluster.asSuperuser(shard));
    }
    for (ShardId lookup : index.lookupShards()) {
      try (Connection service = cluster.asService(lookup);
          Statement statement = service.createStatement()) {
        statement.execute("CREATE SCHEMA pgconcord");
        for (String ddl : LookupDdl.createTable(index)) {
          statement.execute(ddl);
        }
        for (String ddl : LookupDdl.createFunctions(index)) {
          statement.execute(ddl);
        }
      }
    }
  }

  EventLoop loop() {
    return loops.next();
  }

  public KnownServers known() {
    return known;
  }

  /** The shard's servers are these from now on, as every router is told. */
  public void at(ShardId shard, List<ShardProcess> servers) {
    moved.put(shard, servers);
  }

  /** Where the shards listen. */
  public ShardDirectory directory() {
    return new ShardDirectory() {
      @Override
      public KnownServers known() {
        return known;
      }

      @Override
      public List<InetSocketAddress> hosts(ShardId shard) {
        return moved.getOrDefault(shard, List.of(cluster.shard(shard))).stream()
            .map(server -> new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()))
            .toList();
      }

      @Override
      public String database(ShardId shard, String logicalDatabase) {
        return ShardCluster.DATABASE;
      }
    };
  }

  /** A session's backends; each names session and role to the server. */
  Backends backends(EventLoop loop, String session, SettingsRecorder settings) {
    return new SessionBackends(
        loop,
        TwoShards.A,
        new BackendConnector(
            directory(),
            NioSocketChannel.class,
            Duration.ofSeconds(10),
            Duration.ofSeconds(30),
            1 << 20,
            PrimaryWaits.none()),
        (shard, role) ->
            new BackendTarget(
                shard,
                role,
                "app",
                role.service() ? "pgconcord" : "demo",
                BackendSecret.TRUST,
                Map.of("application_name", applicationName(session, role))),
        BackendEvents.NONE,
        settings);
  }

  private static String applicationName(String session, BackendRole role) {
    return session + "-" + role.name().toLowerCase(Locale.ROOT);
  }

  /**
   * Ends a backend on the server, waiting until it is gone; false when it is not there. The server
   * itself would look only ten times a second whether it is.
   */
  public boolean kill(ShardId shard, String session, BackendRole role) {
    String killed =
        ask(
            shard,
            "SELECT coalesce(string_agg(pid::text, ' ') FILTER (WHERE pg_terminate_backend(pid)),"
                + " '') FROM pg_stat_activity WHERE application_name = '"
                + applicationName(session, role)
                + "'");
    if (killed.isEmpty()) {
      return false;
    }
    for (String pid : killed.split(" ")) {
      awaitEnd(Long.parseLong(pid));
    }
    return true;
  }

  private static void awaitEnd(long pid) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (ProcessHandle.of(pid).isPresent()) {
      if (System.nanoTime() - deadline > 0) {
        throw new IllegalStateException("backend " + pid + " does not end");
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
    }
  }

  /** Starts a server that was killed. */
  public void startAgain(ShardId shard) throws SQLException {
    cluster.shard(shard).start();
    settlements.close();
    Connection before = admins.put(shard, cluster.asSuperuser(shard));
    if (before != null) {
      before.close();
    }
  }

  public String ask(ShardId shard, String query) {
    Connection admin = admin(shard);
    synchronized (admin) {
      try (Statement statement = admin.createStatement();
          ResultSet result = statement.executeQuery(query)) {
        result.next();
        return result.getString(1);
      } catch (SQLException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  public void run(ShardId shard, String sql) {
    Connection admin = admin(shard);
    synchronized (admin) {
      try (Statement statement = admin.createStatement()) {
        statement.execute(sql);
      } catch (SQLException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  private Connection admin(ShardId shard) {
    Connection admin = admins.get(shard);
    if (admin == null) {
      throw new IllegalArgumentException("no shard " + shard);
    }
    return admin;
  }

  public void empty() {
    cluster.shards().forEach(shard -> run(shard, "TRUNCATE users"));
    index.lookupShards().forEach(shard -> run(shard, "TRUNCATE users_by_email"));
  }

  /** Email -> tenants that have a row with it, over all shards. */
  public Map<String, List<String>> owners() {
    Map<String, List<String>> owners = new TreeMap<>();
    for (ShardId shard : cluster.shards()) {
      pairs(shard, "SELECT email, tenant_id FROM users")
          .forEach((pair) -> owners.computeIfAbsent(pair[0], k -> new ArrayList<>()).add(pair[1]));
    }
    return owners;
  }

  /** Email -> tenant, as the lookup table has it; fails on one that is on another's shard. */
  public Map<String, String> entries() {
    Map<String, String> entries = new HashMap<>();
    for (ShardId lookup : index.lookupShards()) {
      for (String[] pair : pairs(lookup, "SELECT email, tenant_id FROM users_by_email")) {
        if (!index.lookupShard(Tuple.of(pair[0])).equals(lookup)) {
          throw new AssertionError("the entry of " + pair[0] + " is astray on " + lookup);
        }
        entries.put(pair[0], pair[1]);
      }
    }
    return entries;
  }

  private List<String[]> pairs(ShardId shard, String query) {
    Connection admin = admin(shard);
    List<String[]> pairs = new ArrayList<>();
    synchronized (admin) {
      try (Statement statement = admin.createStatement();
          ResultSet result = statement.executeQuery(query)) {
        while (result.next()) {
          pairs.add(new String[] {result.getString(1), result.getString(2)});
        }
      } catch (SQLException e) {
        throw new IllegalStateException(e);
      }
    }
    return pairs;
  }

  /** Settles keys as the auditor does, over sessions that stay open. */
  public void settle(Iterable<String> keys) throws SQLException {
    for (String key : keys) {
      if (settlements.settle(Tuple.of(key), null).kind() == Outcome.Kind.UNSETTLED) {
        throw new IllegalStateException("unsettled: " + key);
      }
    }
  }

  @Override
  public void close() {
    loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
    settlements.close();
    admins
        .values()
        .forEach(
            admin -> {
              try {
                admin.close();
              } catch (SQLException e) {
                // its server may be down already
              }
            });
    cluster.close();
  }
}
