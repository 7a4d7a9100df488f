package org.pgconcord.daemon.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.testkit.cluster.ClusterSettings;
import org.pgconcord.testkit.cluster.FreePort;
import org.pgconcord.testkit.cluster.ShardCluster;
import org.pgconcord.testkit.cluster.sample.SampleData;
import org.pgconcord.testkit.cluster.sample.SampleSchema;
import org.pgconcord.testkit.cluster.sample.SampleTopology;
import org.pgconcord.testkit.invariant.IndexUnderTest;
import org.pgconcord.testkit.invariant.InvariantChecker;

/**
 * Two embedded shards with the sample application, and at most one daemon over them, which a test
 * may end and start as it likes. Everything is gone when it is closed.
 */
public final class SampleSystem implements AutoCloseable {
  private final ShardCluster cluster;
  private final Path directory;
  private final int adminPort = FreePort.pick();
  private final int routerPort = FreePort.pick();
  private @Nullable DaemonProcess daemon;

  private SampleSystem(ShardCluster cluster, Path directory) {
    this.cluster = cluster;
    this.directory = directory;
  }

  /** Starts the shards with {@code rows} users, and no daemon yet. */
  public static SampleSystem start(long rows, long seed) throws SQLException, IOException {
    return start(ClusterSettings.of(2), rows, seed);
  }

  /** The same over shards of these settings. */
  public static SampleSystem start(ClusterSettings settings, long rows, long seed)
      throws SQLException, IOException {
    ShardCluster cluster = ShardCluster.start(settings);
    Path directory = Files.createTempDirectory("pgconcord-it-");
    SampleSystem system = new SampleSystem(cluster, directory);
    try {
      SampleSchema.create(cluster);
      SampleData.load(cluster, rows, seed);
      Files.writeString(system.topologyFile(), SampleTopology.document(cluster.shards()));
      Files.writeString(system.configFile(), system.config());
      return system;
    } catch (SQLException | IOException | RuntimeException e) {
      system.close();
      throw e;
    }
  }

  public ShardCluster cluster() {
    return cluster;
  }

  public Path configFile() {
    return directory.resolve("serve.json");
  }

  public Path topologyFile() {
    return directory.resolve("app.json");
  }

  public Path stateDirectory() {
    return directory.resolve("state");
  }

  public int adminPort() {
    return adminPort;
  }

  /** Starts the daemon and waits until it is ready. */
  public DaemonProcess startDaemon(String... flags) throws IOException {
    DaemonProcess started = launchDaemon(flags);
    started.awaitReady();
    daemon = started;
    return started;
  }

  /** The daemon that was started last. */
  public DaemonProcess daemon() {
    DaemonProcess started = daemon;
    if (started == null) {
      throw new IllegalStateException("no daemon was started");
    }
    return started;
  }

  /** A daemon that has lost its catalog's server may end, for whoever watches over it to start. */
  public void restartDaemonIfItEnded() throws IOException {
    if (!daemon().isAlive()) {
      startDaemon();
    }
  }

  /** Starts a daemon and returns at once; the caller closes it. */
  public DaemonProcess launchDaemon(String... flags) throws IOException {
    return DaemonProcess.launch(
        configFile(), adminPort, directory.resolve("daemon.log"), List.of(flags));
  }

  /** A router alone, beside the daemon. */
  public record RouterAlone(DaemonProcess process, int port) implements AutoCloseable {
    public Connection connect() throws SQLException {
      return SampleSystem.connect(port);
    }

    @Override
    public void close() {
      process.close();
    }
  }

  /** Starts another router over the daemon's catalog and waits until it is ready. */
  public RouterAlone startRouter() throws IOException {
    int admin = FreePort.pick();
    int port = FreePort.pick();
    DaemonProcess process =
        DaemonProcess.launch(
            configFile(),
            admin,
            directory.resolve("router-" + port + ".log"),
            List.of(
                "--role",
                "router",
                "--router.listen",
                "127.0.0.1:" + port,
                "--admin.listen",
                "127.0.0.1:" + admin));
    return new RouterAlone(process.awaitReady(), port);
  }

  /** A client's session through the daemon's router, as the tables' owner. */
  public Connection router() throws SQLException {
    return connect(routerPort);
  }

  private static Connection connect(int routerPort) throws SQLException {
    return DriverManager.getConnection(
        "jdbc:postgresql://127.0.0.1:" + routerPort + "/app?sslmode=disable", "demo", "");
  }

  /** Checks I1 to I3 on the shards themselves. */
  public InvariantChecker checker() {
    return new InvariantChecker(IndexUnderTest.usersByEmail(cluster.shards()), cluster::asService);
  }

  /** Deletes the sync engine's own storage; no daemon runs. */
  public void deleteState() throws IOException {
    deleteTree(stateDirectory());
  }

  /** Removes all that a daemon has made on the shards, and its storage; no daemon runs. */
  public void forget() throws SQLException, IOException {
    deleteState();
    for (ShardId shard : cluster.shards()) {
      try (Connection connection = cluster.asSuperuser(shard);
          Statement statement = connection.createStatement()) {
        statement.execute(
            "SELECT pg_terminate_backend(active_pid, 5000) FROM pg_replication_slots"
                + " WHERE active_pid IS NOT NULL");
        statement.execute("SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots");
        statement.execute("DROP TABLE IF EXISTS users_by_email");
        statement.execute("DROP SCHEMA IF EXISTS pgconcord CASCADE");
        statement.execute(
            "DO $$ DECLARE p name; BEGIN FOR p IN SELECT pubname FROM pg_publication LOOP"
                + " EXECUTE format('DROP PUBLICATION %I', p); END LOOP; END $$");
      }
    }
  }

  /** The daemon's configuration. */
  public String config() {
    return config(routerPort, shard -> cluster.shard(shard).port());
  }

  /** The same for another router, which finds the shards at other ports. */
  public String config(int listen, ToIntFunction<ShardId> port) {
    String entries =
        cluster.shards().stream()
            .map(
                shard ->
                    "\"%s\": {\"hosts\": [\"127.0.0.1:%d\"]}"
                        .formatted(shard.uid(), port.applyAsInt(shard)))
            .collect(Collectors.joining(", "));
    return """
        {
          "topology": "app.json",
          "router": {"listen": "127.0.0.1:%d", "auth": "trust"},
          "admin": {"listen": "127.0.0.1:%d"},
          "state_dir": "state",
          "catalog_database": "app",
          "service_role": {"user": "pgconcord"},
          "shards": {%s}
        }
        """
        .formatted(listen, adminPort, entries);
  }

  @Override
  public void close() {
    DaemonProcess running = daemon;
    if (running != null) {
      running.close();
    }
    cluster.close();
    try {
      deleteTree(directory);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void deleteTree(Path root) throws IOException {
    if (!Files.exists(root)) {
      return;
    }
    List<Path> all;
    try (Stream<Path> files = Files.walk(root)) {
      all = files.sorted(Comparator.reverseOrder()).toList();
    }
    all.forEach(SampleSystem::delete);
  }

  private static void delete(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
