package org.pgconcord.router.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyStore;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.settings.KnownServers;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.auth.BackendSecret;
import org.pgconcord.testkit.cluster.ShardCluster;

/** Two shards, of which only {@code shard-a} has TLS, with a certificate that nobody signed. */
class TlsIT {
  private static final char[] PASSWORD = "changeit".toCharArray();
  private static ShardCluster cluster;
  private static EventLoopGroup loops;

  @BeforeAll
  static void start() throws Exception {
    cluster = ShardCluster.start(2);
    loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    try (Connection superuser = cluster.asSuperuser(new ShardId("shard-a"));
        Statement statement = superuser.createStatement()) {
      Path data = Path.of(text(statement, "SHOW data_directory"));
      certify(data);
      statement.execute("ALTER SYSTEM SET ssl = on");
      statement.execute("SELECT pg_reload_conf()");
      Awaitility.await().until(() -> text(statement, "SHOW ssl").equals("on"));
    }
  }

  @AfterAll
  static void stop() {
    loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    cluster.close();
  }

  private static String text(Statement statement, String sql) throws Exception {
    try (ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getString(1);
    }
  }

  /** Writes server.key and server.crt as the server's own files. */
  private static void certify(Path data) throws Exception {
    Path store = Files.createTempDirectory("tls").resolve("store.p12");
    List<String> command =
        new ArrayList<>(
            List.of(Path.of(System.getProperty("java.home"), "bin", "keytool").toString()));
    command.addAll(
        List.of(
            ("-genkeypair -alias s -keyalg RSA -keysize 2048 -dname CN=localhost -storetype"
                    + " PKCS12 -storepass changeit -validity 2 -keystore "
                    + store)
                .split(" ")));
    Process making = new ProcessBuilder(command).redirectErrorStream(true).start();
    making.getInputStream().readAllBytes();
    assertThat(making.waitFor()).isZero();
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, PASSWORD);
    }
    pem(data, "server.key", "PRIVATE KEY", keys.getKey("s", PASSWORD).getEncoded());
    pem(data, "server.crt", "CERTIFICATE", keys.getCertificate("s").getEncoded());
    Files.delete(store);
    Files.delete(store.getParent());
  }

  private static void pem(Path data, String name, String kind, byte[] bytes) throws Exception {
    String base64 = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes);
    Path file = data.resolve(name);
    Files.writeString(
        file, "-----BEGIN " + kind + "-----\n" + base64 + "\n-----END " + kind + "-----\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    Files.setOwner(file, Files.getOwner(data));
  }

  private static NettyBackendConnection open(String shard, TlsMode mode) {
    ShardDirectory directory =
        new ShardDirectory() {
          private final KnownServers known = new KnownServers();

          @Override
          public KnownServers known() {
            return known;
          }

          @Override
          public List<InetSocketAddress> hosts(ShardId id) {
            return List.of(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), cluster.shard(id).port()));
          }

          @Override
          public String database(ShardId id, String logicalDatabase) {
            return logicalDatabase;
          }

          @Override
          public TlsMode tls(ShardId id) {
            return mode;
          }
        };
    BackendConnector connector =
        new BackendConnector(
            directory,
            NioSocketChannel.class,
            Duration.ofSeconds(10),
            Duration.ofSeconds(30),
            1 << 20,
            PrimaryWaits.none());
    BackendTarget target =
        new BackendTarget(
            new ShardId(shard), BackendRole.SERVICE, "app", "demo", BackendSecret.TRUST, Map.of());
    return connector.open(loops.next(), target, BackendEvents.NONE).join();
  }

  private static boolean encrypted(String shard, TlsMode mode) {
    NettyBackendConnection connection = open(shard, mode);
    String sql = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
    String answer =
        CompletableFuture.completedFuture(sql)
            .thenComposeAsync(q -> connection.query(q, List.of()), loops.next())
            .join()
            .rows()
            .get(0)
            .get(0);
    loops.next().execute(connection::close);
    return "t".equals(answer);
  }

  @Test
  void tlsIsUsedWhereItIsThere() {
    assertThat(encrypted("shard-a", TlsMode.DISABLE)).isFalse();
    assertThat(encrypted("shard-a", TlsMode.PREFER)).isTrue();
    assertThat(encrypted("shard-a", TlsMode.REQUIRE)).isTrue();
    assertThat(encrypted("shard-b", TlsMode.PREFER)).isFalse();
  }

  @Test
  void whatIsDemandedAndNotThereIsRefused() {
    assertThatThrownBy(() -> open("shard-b", TlsMode.REQUIRE)).hasMessageContaining("no TLS");
    assertThatThrownBy(() -> open("shard-a", TlsMode.VERIFY_CA))
        .isInstanceOf(RuntimeException.class);
    assertThatThrownBy(() -> open("shard-a", TlsMode.VERIFY_FULL))
        .isInstanceOf(RuntimeException.class);
  }
}
