package org.pgconcord.daemon.faults;

import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.sharding.ShardLocator;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.daemon.ProxiedRouter;
import org.pgconcord.daemon.process.SampleSystem;
import org.pgconcord.testkit.cluster.sample.SampleTopology;
import org.pgconcord.testkit.fault.CutPoint;
import org.pgconcord.testkit.fault.FaultNetwork;
import org.pgconcord.testkit.fault.Gate;
import org.pgconcord.testkit.invariant.Ledger.Told;
import org.postgresql.copy.CopyManager;
import org.postgresql.core.BaseConnection;

/** Runs one write at a time through a proxied router, with one fault at most. */
final class CutRig implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  /** A router that lives settles by itself what it knows the end of. */
  private static final Duration BY_ITSELF = Duration.ofSeconds(15);

  private static final char PARAMETER_STATUS = 'S';
  private static final String CLIENT = "cut-client";
  private static final String UNKNOWN = "08007";
  private static final String PARTIAL = "2D000";

  /** Decided: it must be there when the servers are back. */
  private static final String PENDING = "[tx/commit-pending]";

  private static final String BACKENDS =
      "SELECT client_port, extract(epoch FROM backend_start) * 1000,"
          + " concat_ws(' ', pid, usename, application_name, state, wait_event, left(query, 200))"
          + " FROM pg_stat_activity WHERE client_port IN (%s)";

  private final SampleSystem system;
  private final FaultNetwork network;
  private final ProxiedRouter router;
  private final Admins admins;
  private final Set<String> reused = new HashSet<>();
  private long lastRun;

  /**
   * What the client knows.
   *
   * @param partial it was told that one shard has committed and another has not
   * @param seen after success: the rows that another router found by the story's keys right then;
   *     empty where it had no answer
   */
  record Ended(Told told, boolean partial, String message, Optional<Set<String>> seen) {}

  /** Asked while a message is held. */
  interface Look {
    void look() throws SQLException;
  }

  CutRig(SampleSystem system, Admins admins, long firstRun) throws Exception {
    this.system = system;
    this.admins = admins;
    this.lastRun = firstRun;
    Map<String, Integer> ports = new HashMap<>();
    for (ShardId shard : system.cluster().shards()) {
      ports.put(shard.uid(), system.cluster().shard(shard).port());
    }
    int home = system.cluster().shard(system.cluster().shards().get(0)).port();
    ports.put(ProxiedRouter.DECISIONS, home);
    ports.put(ProxiedRouter.CATALOG, home);
    network = FaultNetwork.before(ports);
    router =
        new ProxiedRouter(
            network, system.config(), system.config(0, shard -> network.port(shard.uid())));
  }

  /** Rows for a run, made ready for the story by the daemon's own router. */
  CutRows prepare(CutCase each) throws SQLException {
    List<ShardId> shards = system.cluster().shards();
    ShardId away = shards.get(0).equals(each.home()) ? shards.get(1) : shards.get(0);
    CutRows rows =
        new CutRows(each.story().table(), tenantOf(each.home()), tenantOf(away), ++lastRun);
    try (Statement statement = admins.client().createStatement()) {
      for (String sql : each.story().before(rows)) {
        statement.execute(sql);
      }
    }
    for (String sql : each.story().surplus(rows)) {
      admins.run(shards.get(0), sql);
    }
    return rows;
  }

  /** Runs the write without a fault. */
  Ended run(CutCase each, CutRows rows) throws SQLException {
    network.begin(List.of());
    Ended ended = write(each, rows);
    awaitQuiet();
    return ended;
  }

  /** Runs it with this fault, restarts what died of it, and waits until nothing of it runs. */
  Ended run(CutCase each, CutRows rows, Fault fault, CutPoint point, Look look) throws Exception {
    Gate gate = new Gate();
    network.begin(List.of(point.then(fault.action(gate))));
    Ended ended = fault.holds() ? held(each, rows, fault, point, gate, look) : write(each, rows);
    awaitQuiet();
    return ended;
  }

  private Ended held(CutCase each, CutRows rows, Fault fault, CutPoint point, Gate gate, Look look)
      throws Exception {
    CompletableFuture<Ended> write = CompletableFuture.supplyAsync(() -> write(each, rows));
    ShardId shard = shardOf(point);
    try {
      while (!gate.awaitReached(Duration.ofMillis(20)) && !(write.isDone() && quiet())) {}
      if (acted() && fault == Fault.HOLD) {
        look.look();
      } else if (acted()) {
        system.cluster().shard(shard).kill();
      }
      gate.release();
      if (fault == Fault.SHARD) {
        // While the client waits: a commit that is decided is held until the server is back.
        system.cluster().shard(shard).start();
      }
      return write.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
    } finally {
      gate.release();
      if (fault == Fault.SHARD) {
        system.cluster().shard(shard).start();
        system.restartDaemonIfItEnded();
      }
    }
  }

  private ShardId shardOf(CutPoint point) {
    List<ShardId> shards = system.cluster().shards();
    return shards.stream()
        .filter(shard -> shard.uid().equals(point.link().server()))
        .findFirst()
        .orElse(shards.get(0));
  }

  /**
   * The points at which the run just made can meet a fault; of the settings that a server tells at
   * login one for all.
   */
  List<CutPoint> points() {
    List<CutPoint> points = new ArrayList<>();
    char before = ' ';
    for (CutPoint point : CutPoint.of(network.journal())) {
      boolean another = point.kind() == PARAMETER_STATUS && before == PARAMETER_STATUS;
      if (!another && !point.link().server().equals(ProxiedRouter.CATALOG)) {
        points.add(point);
      }
      before = point.kind();
    }
    return points;
  }

  /**
   * How many sessions of others have begun at the port of a link that had ended; they would look
   * like backends left behind.
   */
  int reusedPorts() {
    return reused.size();
  }

  boolean acted() {
    return network.acted() > 0;
  }

  private Ended write(CutCase each, CutRows rows) {
    boolean committing = false;
    try (Connection connection = router.connect(CLIENT);
        Statement statement = connection.createStatement()) {
      statement.execute("SET pgconcord.tx_mode = " + each.mode().txMode());
      connection.setAutoCommit(!each.mode().explicit());
      for (String sql : each.story().statements(rows)) {
        committing = !each.mode().explicit();
        execute(statement, sql);
      }
      committing = true;
      if (each.mode().explicit()) {
        connection.commit();
      }
      return new Ended(Told.DONE, false, "done", seen(rows));
    } catch (SQLException e) {
      boolean hungUp = e.getCause() instanceof IOException;
      if (hungUp && !network.isDown()) {
        throw new AssertionError("a router that lives hung up on its client", e);
      }
      return new Ended(
          told(e, hungUp && committing),
          PARTIAL.equals(e.getSQLState()),
          e.getSQLState() + " " + e.getMessage(),
          Optional.empty());
    }
  }

  private static void execute(Statement statement, String sql) throws SQLException {
    if (!sql.startsWith("COPY ")) {
      statement.execute(sql);
      return;
    }
    int line = sql.indexOf('\n');
    try {
      new CopyManager(statement.getConnection().unwrap(BaseConnection.class))
          .copyIn(sql.substring(0, line), new StringReader(sql.substring(line + 1)));
    } catch (IOException e) {
      throw new UncheckedIOException(e); // of the data, which are in memory
    }
  }

  private static Told told(SQLException e, boolean unknown) {
    if (String.valueOf(e.getMessage()).contains(PENDING)) {
      return Told.DONE;
    }
    return UNKNOWN.equals(e.getSQLState()) || unknown ? Told.UNKNOWN : Told.NOT_DONE;
  }

  private Optional<Set<String>> seen(CutRows rows) {
    if (!rows.table().hasIndex()) {
      return Optional.empty();
    }
    Set<String> seen = new TreeSet<>();
    try (Statement statement = admins.client().createStatement()) {
      for (String email : rows.emails()) {
        try (ResultSet row = statement.executeQuery(CutCheck.rowsOf(rows, email))) {
          while (row.next()) {
            seen.add(row.getString(1));
          }
        }
      }
      return Optional.of(seen);
    } catch (SQLException e) {
      return Optional.empty(); // a server that it needs is down
    }
  }

  // --- waiting ---------------------------------------------------------------------------------

  /** Ends with a new router where the old one died, no backend of a link, nothing prepared. */
  private void awaitQuiet() throws SQLException {
    await(this::noLinks, "links or backends are left: ", this::left);
    if (network.isDown()) {
      router.restart();
      await(this::noLinks, "links or backends are left: ", this::left);
    }
    if (!settledWithin(BY_ITSELF)) {
      // It does not know how its transaction ended; its successor takes over.
      System.out.println("a router leaves it to the next one: " + admins.transactions());
      router.restart();
      await(() -> admins.transactions().isEmpty(), "in two phases still: ", admins::transactions);
    }
  }

  private boolean quiet() throws SQLException {
    return noLinks() && admins.transactions().isEmpty();
  }

  private boolean noLinks() throws SQLException {
    for (ShardId shard : system.cluster().shards()) {
      if (network.links(shard.uid()) > 0) {
        return false;
      }
    }
    return left().isEmpty();
  }

  private interface Question<T> {
    T ask() throws SQLException;
  }

  private static void await(Question<Boolean> done, String otherwise, Question<?> left)
      throws SQLException {
    long begin = System.nanoTime();
    while (!done.ask()) {
      if (System.nanoTime() - begin > LIMIT.toNanos()) {
        throw new AssertionError("I9: " + otherwise + left.ask());
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
    }
  }

  private boolean settledWithin(Duration limit) throws SQLException {
    long begin = System.nanoTime();
    while (!admins.transactions().isEmpty()) {
      if (System.nanoTime() - begin > limit.toNanos()) {
        return false;
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
    }
    return true;
  }

  /** Backends at the other end of the network's links to shards. */
  private List<String> left() throws SQLException {
    List<String> left = new ArrayList<>();
    for (ShardId shard : system.cluster().shards()) {
      Map<Integer, Long> ended = new HashMap<>();
      network.sources().stream()
          .filter(source -> source.server().equals(shard.uid()))
          .forEach(source -> ended.put(source.port(), source.ended()));
      if (ended.isEmpty()) {
        continue;
      }
      String ports = String.join(", ", ended.keySet().stream().map(String::valueOf).toList());
      admins.ask(
          shard,
          BACKENDS.formatted(ports),
          row -> {
            if (row.getLong(2) <= ended.getOrDefault(row.getInt(1), 0L)) {
              left.add(shard + " " + row.getString(3));
            } else {
              reused.add(row.getString(3).replaceFirst(" .*", ""));
            }
          });
    }
    return left;
  }

  private long tenantOf(ShardId shard) {
    ShardLocator locator = SampleTopology.locator(system.cluster().shards());
    long tenant = 1;
    while (!locator.locate(Long.toString(tenant)).equals(shard)) {
      tenant++;
    }
    return tenant;
  }

  @Override
  public void close() {
    router.close();
    network.close();
  }

  /** Sessions past the faults, opened again after a server's death. */
  static final class Admins implements AutoCloseable {
    private static final String TRANSACTIONS =
        "SELECT 'prepared ' || gid FROM pg_prepared_xacts WHERE gid LIKE 'pgconcord%'";

    private static final String OPEN =
        "SELECT 'open ' || id FROM pgconcord.atomic_transaction WHERE finished_at IS NULL";

    private final SampleSystem system;
    private final Map<ShardId, Connection> open = new HashMap<>();
    private @Nullable Connection client;

    interface Sink {
      void row(ResultSet row) throws SQLException;
    }

    Admins(SampleSystem system) {
      this.system = system;
    }

    synchronized void ask(ShardId shard, String query, Sink sink) throws SQLException {
      try (Statement statement = session(shard).createStatement();
          ResultSet row = statement.executeQuery(query)) {
        while (row.next()) {
          sink.row(row);
        }
      }
    }

    synchronized void run(ShardId shard, String sql) throws SQLException {
      try (Statement statement = session(shard).createStatement()) {
        statement.execute(sql);
      }
    }

    /** What is left of commits in two phases. */
    List<String> transactions() throws SQLException {
      List<String> found = new ArrayList<>();
      for (ShardId shard : system.cluster().shards()) {
        ask(shard, TRANSACTIONS, row -> found.add(row.getString(1)));
      }
      ask(system.cluster().shards().get(0), OPEN, row -> found.add(row.getString(1)));
      return found;
    }

    /** A session with the daemon's own router. */
    synchronized Connection client() throws SQLException {
      if (client == null || !client.isValid(5)) {
        client = system.router();
      }
      return client;
    }

    private Connection session(ShardId shard) throws SQLException {
      Connection known = open.get(shard);
      if (known != null && known.isValid(1)) {
        return known;
      }
      Connection session = system.cluster().asSuperuser(shard);
      open.put(shard, session);
      return session;
    }

    @Override
    public void close() throws SQLException {
      if (client != null) {
        client.close();
      }
      for (Connection each : open.values()) {
        each.close();
      }
    }
  }
}
