package org.pgconcord.daemon.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.opentest4j.TestAbortedException;
import org.pgconcord.config.sharding.ShardLocator;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.testkit.cluster.FreePort;
import org.pgconcord.testkit.cluster.sample.SampleSchema;
import org.pgconcord.testkit.cluster.sample.SampleTopology;
import org.pgconcord.testkit.invariant.IndexUnderTest;
import org.pgconcord.testkit.invariant.InvariantChecker;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.utility.DockerImageName;

/**
 * The life of an index on servers of the official image, where a container engine answers: the
 * embedded shards are built by others than the image, and a user's servers are neither. Without an
 * engine it is skipped with a line that says so.
 */
class ContainerShardsIT {
  private static final DockerImageName IMAGE = DockerImageName.parse("postgres:18");
  private static final List<ShardId> SHARDS =
      List.of(new ShardId("shard-a"), new ShardId("shard-b"));
  private static final int ROWS = 5_000;

  @Test
  void anIndexIsBuiltVerifiedAndEnabled(@TempDir Path directory) throws Exception {
    requireEngine();
    Map<ShardId, GenericContainer<?>> servers = new LinkedHashMap<>();
    try {
      for (ShardId shard : SHARDS) {
        GenericContainer<?> server = server();
        servers.put(shard, server);
        server.start();
        prepare(server, shard);
      }
      life(servers, directory);
    } finally {
      servers.values().forEach(GenericContainer::stop);
    }
  }

  private static void requireEngine() {
    if (!DockerClientFactory.instance().isDockerAvailable()) {
      System.out.println(
          "SKIPPED: no container engine answers; the tests on containers do not run");
      throw new TestAbortedException("no container engine answers");
    }
  }

  // The caller owns the container and stops it.
  @SuppressWarnings("resource")
  private static GenericContainer<?> server() {
    return new GenericContainer<>(IMAGE)
        .withEnv("POSTGRES_HOST_AUTH_METHOD", "trust")
        .withExposedPorts(5432)
        .withCommand("postgres", "-c", "wal_level=logical")
        .waitingFor(
            Wait.forLogMessage(".*database system is ready to accept connections.*", 2)
                .withStartupTimeout(Duration.ofMinutes(2)));
  }

  private static void prepare(GenericContainer<?> server, ShardId shard) throws SQLException {
    execute(
        connect(server, "postgres", "postgres"),
        "CREATE ROLE demo LOGIN",
        "CREATE ROLE pgconcord LOGIN REPLICATION BYPASSRLS",
        "GRANT demo, pg_monitor TO pgconcord",
        "CREATE DATABASE app");
    execute(
        connect(server, "postgres", "app"),
        "GRANT CREATE, CONNECT ON DATABASE app TO pgconcord",
        "GRANT CREATE, USAGE ON SCHEMA public TO demo, pgconcord");
    execute(connect(server, "demo", "app"), SampleSchema.DDL, rows(shard));
  }

  /** Users of the tenants whose home is this shard, tenant and number alike. */
  private static String rows(ShardId shard) {
    ShardLocator locator = SampleTopology.locator(SHARDS);
    StringBuilder values =
        new StringBuilder("INSERT INTO users (tenant_id, user_id, email) VALUES ");
    String separator = "";
    for (int i = 1; i <= ROWS; i++) {
      if (locator.locate(Integer.toString(i)).equals(shard)) {
        values.append(separator).append("(%d, %d, 'user%d@example.org')".formatted(i, i, i));
        separator = ", ";
      }
    }
    return values.toString();
  }

  private static void life(Map<ShardId, GenericContainer<?>> servers, Path directory)
      throws Exception {
    int admin = FreePort.pick();
    Path config = directory.resolve("serve.json");
    Files.writeString(directory.resolve("app.json"), SampleTopology.document(SHARDS));
    Files.writeString(config, config(servers, admin));
    try (DaemonProcess daemon =
        DaemonProcess.launch(config, admin, directory.resolve("daemon.log"), List.of())) {
      daemon.awaitReady();
      Gsi gsi = new Gsi(daemon);
      gsi.build();
      assertThat(gsi.verifyAndEnable().path("state").asText()).isEqualTo("enabled");
      InvariantChecker checker =
          new InvariantChecker(
              IndexUnderTest.usersByEmail(SHARDS),
              shard -> connect(serverOf(servers, shard), "pgconcord", "app"));
      assertThat(checker.ownerRows()).isEqualTo(ROWS);
      checker.awaitNone(Duration.ofSeconds(30));
      daemon.terminate(Duration.ofSeconds(30));
    }
  }

  private static GenericContainer<?> serverOf(
      Map<ShardId, GenericContainer<?>> servers, ShardId shard) {
    GenericContainer<?> server = servers.get(shard);
    if (server == null) {
      throw new IllegalArgumentException("no server for " + shard);
    }
    return server;
  }

  private static String config(Map<ShardId, GenericContainer<?>> servers, int admin) {
    String shards =
        servers.entrySet().stream()
            .map(
                e ->
                    "\"%s\": {\"hosts\": [\"%s:%d\"]}"
                        .formatted(
                            e.getKey(), e.getValue().getHost(), e.getValue().getMappedPort(5432)))
            .collect(Collectors.joining(", "));
    return """
        {
          "topology": "app.json",
          "router": {"listen": "127.0.0.1:%d", "auth": "trust"},
          "admin": {"listen": "127.0.0.1:%d"},
          "state_dir": "state",
          "catalog_database": "app",
          "shards": {%s}
        }
        """
        .formatted(FreePort.pick(), admin, shards);
  }

  private static Connection connect(GenericContainer<?> server, String role, String database)
      throws SQLException {
    return DriverManager.getConnection(
        "jdbc:postgresql://%s:%d/%s"
            .formatted(server.getHost(), server.getMappedPort(5432), database),
        role,
        "");
  }

  private static void execute(Connection connection, String... statements) throws SQLException {
    try (connection;
        Statement statement = connection.createStatement()) {
      for (String each : statements) {
        statement.execute(each);
      }
    }
  }
}
