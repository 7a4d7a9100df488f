package org.pgconcord.config.settings;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.ShardId;

/**
 * Opens JDBC connections to shards as the service role. Each one is to the shard's primary, of a
 * supported version and UTF-8, has its session settings pinned, and reaches the server that was
 * known as this shard before: another system identifier or a lower timeline is refused, for what it
 * holds is not what was verified. A connection to a server that another one has followed is ended
 * as soon as that is known. Safe for use by many threads; blocks, so never called by an event loop.
 */
public final class ShardConnections {
  private static final String CONNECT_SECONDS = "5";

  /**
   * For each answer until the connection is handed out: a server that hangs takes it in at once.
   */
  private static final String LOGIN_SECONDS = "30";

  private final Map<ShardId, ShardSettings> shards;
  private final String user;
  private final ServicePassword password;
  private final KnownServers servers;
  private final OpenConnections open;
  private final Map<ShardId, ShardAddress> primaries = new ConcurrentHashMap<>();

  public ShardConnections(
      Map<ShardId, ShardSettings> shards, String user, ServicePassword password) {
    this(shards, user, password, new KnownServers());
  }

  /**
   * @param servers shared with whoever else connects to the shards
   */
  public ShardConnections(
      Map<ShardId, ShardSettings> shards,
      String user,
      ServicePassword password,
      KnownServers servers) {
    this.shards = Map.copyOf(shards);
    this.user = user;
    this.password = password;
    this.servers = servers;
    this.open = new OpenConnections(servers);
  }

  /** For the shards of a configuration; the environment may hold the password. */
  public static ShardConnections of(DaemonSettings settings, Map<String, String> environment) {
    return new ShardConnections(
        settings.shards(),
        settings.serviceRole().user(),
        new ServicePassword(settings.serviceRole(), environment));
  }

  /** Takes over what an earlier run knew; later connections must reach the same server. */
  public void remember(Map<ShardId, ServerIdentity> known) {
    servers.remember(known);
  }

  /** The servers reached so far. */
  public Map<ShardId, ServerIdentity> servers() {
    return servers.all();
  }

  /** The same, and who is let in. */
  public KnownServers known() {
    return servers;
  }

  /** Where the shard's primary was last found, or its first host when none was looked for yet. */
  public ShardAddress primary(ShardId shard) {
    ShardAddress known = primaries.get(shard);
    return known != null ? known : settings(shard).hosts().get(0);
  }

  /** The name on that shard of a logical database. */
  public String database(ShardId shard, String logicalDatabase) {
    return settings(shard).database(logicalDatabase);
  }

  /**
   * An ordinary connection, in autocommit mode.
   *
   * @throws ConcordException {@code shard/unreachable}, {@code shard/version}, {@code
   *     shard/encoding}, {@code shard/wrong-server}, or {@code config/invalid} for an unknown shard
   */
  public Connection open(ShardId shard, String logicalDatabase) {
    return open(shard, logicalDatabase, new Properties());
  }

  /** The same in logical replication mode: simple protocol, replication commands beside SQL. */
  public Connection openReplication(ShardId shard, String logicalDatabase) {
    Properties properties = new Properties();
    properties.setProperty("replication", "database");
    properties.setProperty("preferQueryMode", "simple");
    properties.setProperty("assumeMinServerVersion", "15");
    return open(shard, logicalDatabase, properties);
  }

  /** The standbys of a shard that may answer reads. */
  public List<ShardAddress> replicas(ShardId shard) {
    return settings(shard).replicas();
  }

  /** A session on one server, whatever it turns out to be: for asking it that, and nothing else. */
  public Connection openReplica(ShardId shard, ShardAddress replica, String logicalDatabase)
      throws SQLException {
    ShardSettings settings = settings(shard);
    String database = settings.database(logicalDatabase);
    return DriverManager.getConnection(
        url(replica, database), connecting(replica, settings, database, new Properties()));
  }

  /** The hosts at which a shard's primary may be. */
  List<ShardAddress> hosts(ShardId shard) {
    return settings(shard).hosts();
  }

  private Connection open(ShardId shard, String logicalDatabase, Properties properties) {
    ShardSettings settings = settings(shard);
    String database = settings.database(logicalDatabase);
    List<String> failures = new ArrayList<>();
    Optional<String> remedy = Optional.empty();
    for (ShardAddress host : settings.hosts()) {
      try {
        Optional<Connection> opened =
            openPrimary(shard, host, database, connecting(host, settings, database, properties));
        if (opened.isPresent()) {
          primaries.put(shard, host);
          return opened.get();
        }
        failures.add(host + ": a standby");
      } catch (SQLException e) {
        failures.add(host + ": " + e.getMessage());
        remedy = remedy.or(() -> new ConnectFailure(user, database, host).remedy(e));
      }
    }
    ConcordException unreachable =
        ErrorCode.SHARD_UNREACHABLE
            .because("no primary of shard " + shard + " can be used for database " + database)
            .withDetail(String.join("; ", failures));
    throw remedy.map(unreachable::withHint).orElse(unreachable);
  }

  private Properties connecting(
      ShardAddress host, ShardSettings settings, String database, Properties more) {
    Properties properties = new Properties();
    properties.setProperty("user", user);
    password.find(host, database).ifPresent(p -> properties.setProperty("password", p));
    properties.setProperty("sslmode", settings.sslmode());
    properties.setProperty("ApplicationName", "pgconcord");
    properties.setProperty("connectTimeout", CONNECT_SECONDS);
    properties.setProperty("socketTimeout", LOGIN_SECONDS);
    properties.setProperty("tcpKeepAlive", "true");
    properties.putAll(more);
    return properties;
  }

  /** Empty for a standby. The connection is closed on every way out but success. */
  private Optional<Connection> openPrimary(
      ShardId shard, ShardAddress host, String database, Properties properties)
      throws SQLException {
    Connection connection = DriverManager.getConnection(url(host, database), properties);
    boolean keep = false;
    try {
      SessionProbe.pin(connection);
      SessionProbe.Answer answer = SessionProbe.ask(connection, shard);
      if (answer.primary()) {
        servers.admit(shard, answer.server());
        open.add(shard, answer.server(), connection);
        connection.setNetworkTimeout(Runnable::run, 0);
        keep = true;
      }
      return keep ? Optional.of(connection) : Optional.empty();
    } finally {
      if (!keep) {
        connection.close();
      }
    }
  }

  private static String url(ShardAddress host, String database) {
    return "jdbc:postgresql://"
        + host
        + "/"
        + URLEncoder.encode(database, StandardCharsets.UTF_8).replace("+", "%20");
  }

  private ShardSettings settings(ShardId shard) {
    ShardSettings settings = shards.get(shard);
    if (settings == null) {
      throw ErrorCode.CONFIG_INVALID.because("shard " + shard + " has no entry under shards");
    }
    return settings;
  }
}
