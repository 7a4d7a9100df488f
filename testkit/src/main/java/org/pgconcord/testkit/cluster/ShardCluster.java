package org.pgconcord.testkit.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.ShardId;

/**
 * Several embedded shards with the roles that pgConcord expects: {@value ClusterRoles#OWNER} owns
 * the tables, {@value ClusterRoles#SERVICE} is the service role, and each shard has the database
 * {@value #DATABASE}. Start of two shards: about 1 s on two cores.
 */
public final class ShardCluster implements AutoCloseable {
  public static final String DATABASE = "app";

  private final Path directory;
  private final ClusterSettings settings;
  private final ClusterRoles roles;
  private final Map<ShardId, ShardProcess> shards = new TreeMap<>();
  private final List<ShardProcess> replicas = new ArrayList<>();
  private final Thread shutdownHook = new Thread(this::end, "embedded-shards-end");

  /** True makes each shard's data a copy of what is made once; false has them all made anew. */
  private final boolean copied;

  private ShardCluster(Path directory, ClusterSettings settings, boolean copied) {
    this.directory = directory;
    this.settings = settings;
    this.copied = copied;
    this.roles = ClusterRoles.random(settings.authentication());
  }

  /** Starts {@code shards} shards {@code shard-a}, ... under trust. */
  public static ShardCluster start(int shards) {
    return start(ClusterSettings.of(shards));
  }

  /** Starts the shards side by side; on failure none is left. */
  public static ShardCluster start(ClusterSettings settings) {
    try {
      ClusterDirectory.sweepTemporary();
      Path directory =
          settings.directory().isPresent()
              ? ClusterDirectory.claim(settings.directory().get())
              : ClusterDirectory.claimTemporary();
      // A server that runs as another user must be able to enter.
      Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx--x--x"));
      ShardCluster cluster = new ShardCluster(directory, settings, mayBeCopied(settings));
      cluster.launch();
      return cluster;
    } catch (IOException e) {
      throw ErrorCode.EMBEDDED_START_FAILED
          .because("the embedded shards could not be started: " + e)
          .withCause(e);
    }
  }

  public List<ShardId> shards() {
    return List.copyOf(shards.keySet());
  }

  public ShardProcess shard(ShardId id) {
    ShardProcess shard = shards.get(id);
    if (shard == null) {
      throw new IllegalArgumentException("no shard " + id + " in " + shards.keySet());
    }
    return shard;
  }

  public ShardProcess shard(String uid) {
    return shard(new ShardId(uid));
  }

  /** Makes and starts a streaming replica of a shard, which ends with the cluster. */
  public ShardProcess startReplica(ShardId of) throws SQLException {
    ShardProcess primary = shard(of);
    Path place = directory.resolve(of.uid() + "-replica-" + replicas.size());
    String conninfo =
        "host=127.0.0.1 port=%d user=%s password=%s sslmode=disable"
            .formatted(primary.port(), ShardProcess.SUPERUSER, roles.superuserPassword());
    try (Connection superuser = asSuperuser(of)) {
      ShardProcess replica = ShardProcess.replicaOf(primary, place, superuser, conninfo);
      synchronized (shards) {
        replicas.add(replica);
      }
      replica.start();
      return replica;
    }
  }

  /** A session on any server of the cluster, on the database {@value #DATABASE}. */
  public Connection connect(ShardProcess server, String role) throws SQLException {
    return connect(role, "jdbc:postgresql://127.0.0.1:" + server.port() + "/" + DATABASE);
  }

  /** The same with the right to do anything. */
  public Connection asSuperuser(ShardProcess server) throws SQLException {
    return connect(server, ShardProcess.SUPERUSER);
  }

  public Path directory() {
    return directory;
  }

  public ClusterRoles roles() {
    return roles;
  }

  /** A session as the tables' owner on the database {@value #DATABASE}. */
  public Connection asOwner(ShardId shard) throws SQLException {
    return connect(shard, ClusterRoles.OWNER, DATABASE);
  }

  /** A session as the service role on the database {@value #DATABASE}. */
  public Connection asService(ShardId shard) throws SQLException {
    return connect(shard, ClusterRoles.SERVICE, DATABASE);
  }

  /** A session that may do anything; for tests that plant faults. */
  public Connection asSuperuser(ShardId shard) throws SQLException {
    return connect(shard, ShardProcess.SUPERUSER, DATABASE);
  }

  public Connection connect(ShardId shard, String role, String database) throws SQLException {
    return connect(role, url(shard, database));
  }

  private Connection connect(String role, String url) throws SQLException {
    Properties properties = new Properties();
    properties.setProperty("user", role);
    properties.setProperty("password", roles.password(role));
    properties.setProperty("sslmode", "disable");
    return DriverManager.getConnection(url, properties);
  }

  /** The JDBC URL of one shard's database, without role and password. */
  public String url(ShardId shard, String database) {
    return "jdbc:postgresql://127.0.0.1:" + shard(shard).port() + "/" + database;
  }

  /** From now on the end of the JVM does not end the servers: the caller does, in its own order. */
  public ShardCluster endedByCaller() {
    removeShutdownHook();
    return this;
  }

  /** Ends every server by pid and removes the directory. */
  @Override
  public void close() {
    end();
    removeShutdownHook();
  }

  private void removeShutdownHook() {
    try {
      Runtime.getRuntime().removeShutdownHook(shutdownHook);
    } catch (IllegalStateException e) {
      // The JVM is going down: the hook runs anyway and finds nothing left.
    }
  }

  private void launch() {
    Runtime.getRuntime().addShutdownHook(shutdownHook);
    try {
      Map<ShardId, PostgresBinaries> binaries = binaries();
      Map<PostgresBinaries, DataTemplate> templates = copied ? templates(binaries) : Map.of();
      Parallel.forEach(
          settings.shards(),
          id -> {
            PostgresBinaries its = Objects.requireNonNull(binaries.get(id));
            return ShardProcess.create(
                id,
                directory.resolve(id.uid()),
                its,
                settings,
                roles.superuserPassword(),
                Optional.ofNullable(templates.get(its)));
          },
          shard -> {
            synchronized (shards) {
              shards.put(shard.id(), shard);
            }
            shard.start();
          });
      if (!copied) {
        roles.create(this);
      }
    } catch (SQLException e) {
      close();
      throw ErrorCode.EMBEDDED_START_FAILED
          .because("the roles of the embedded shards could not be made: " + e.getMessage())
          .withCause(e);
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  /** Passwords are each cluster's own, and the files of a copy belong to whoever copies. */
  private static boolean mayBeCopied(ClusterSettings settings) {
    return settings.authentication() == Authentication.TRUST
        && settings.unprivileged().orElseGet(Unprivileged::choose) != Unprivileged.NOBODY;
  }

  private Map<PostgresBinaries, DataTemplate> templates(Map<ShardId, PostgresBinaries> binaries) {
    Map<PostgresBinaries, DataTemplate> templates = new HashMap<>();
    binaries.forEach((shard, its) -> templates.computeIfAbsent(its, i -> template(shard, i)));
    return templates;
  }

  private DataTemplate template(ShardId shard, PostgresBinaries binaries) {
    try {
      return DataTemplate.of(
          binaries,
          data -> {
            try (ShardCluster one =
                new ShardCluster(data.resolveSibling("one"), settings.only(shard), false)) {
              one.launch();
              one.shard(shard).stop();
              Directories.copy(one.shard(shard).data(), data);
            }
          });
    } catch (IOException e) {
      throw ErrorCode.EMBEDDED_START_FAILED
          .because("the data of a new shard could not be made: " + e)
          .withCause(e);
    }
  }

  private Map<ShardId, PostgresBinaries> binaries() {
    Map<Optional<Path>, PostgresBinaries> unpacked = new HashMap<>();
    Map<ShardId, PostgresBinaries> binaries = new TreeMap<>();
    for (ShardId id : settings.shards()) {
      Optional<Path> jar = Optional.ofNullable(settings.binaries().get(id));
      binaries.put(
          id,
          unpacked.computeIfAbsent(
              jar, j -> j.map(EmbeddedBinaries::unpack).orElseGet(EmbeddedBinaries::unpack)));
    }
    return binaries;
  }

  private void end() {
    List<ShardProcess> running;
    synchronized (shards) {
      running = new ArrayList<>(replicas);
      running.addAll(shards.values());
    }
    Parallel.forEach(running, shard -> shard, ShardProcess::close);
    try {
      ClusterDirectory.remove(directory);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
