package org.pgconcord.daemon.build;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.pgconcord.config.catalog.Catalog;
import org.pgconcord.config.catalog.FencedTable;
import org.pgconcord.config.catalog.RouterLeases;
import org.pgconcord.config.check.TopologyCheck;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.settings.ShardConnections;
import org.pgconcord.config.value.Identifiers;
import org.pgconcord.config.value.ShardId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What follows the publication of a fenced table's new epoch (docs/decisions/0011, "A step"): when
 * {@link #drain} returns, nobody writes the table any more under an earlier one. Blocks; any
 * thread. Whatever it has done may be done again: sequences only rise, and the catalog keeps the
 * older epochs until all of it is done.
 */
public final class FenceSteps {
  private static final Logger log = LoggerFactory.getLogger(FenceSteps.class);

  private static final Duration LOOK = Duration.ofMillis(50);

  /** A router that has ended leaves backends that its server has not noticed yet. */
  private static final Duration GRACE = Duration.ofSeconds(2);

  /** How long transactions of direct connections are waited for. */
  private static final Duration DIRECT = Duration.ofSeconds(10);

  private static final String HOLDERS =
      """
      SELECT l.pid, concat_ws(', ', 'pid ' || l.pid, 'user ' || a.usename,
               'application ' || coalesce(nullif(a.application_name, ''), '(none)'),
               'from ' || coalesce(host(a.client_addr), 'a local socket'), 'state ' || a.state)
        FROM pg_catalog.pg_locks l LEFT JOIN pg_catalog.pg_stat_activity a USING (pid)
       WHERE l.locktype = 'advisory' AND l.objsubid = 2 AND l.granted
         AND l.database = (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database())
         AND l.classid = ?::regclass::oid AND l.objid = ?::bigint::oid
         AND l.pid IS DISTINCT FROM pg_catalog.pg_backend_pid()
      """;

  private final Catalog catalog;
  private final RouterLeases leases;
  private final String ownRouter;
  private final RoutingPublisher publisher;
  private final ShardConnections connections;

  /**
   * @param ownRouter the id of the router in this process, which is asked directly
   */
  public FenceSteps(
      Catalog catalog,
      RouterLeases leases,
      String ownRouter,
      RoutingPublisher publisher,
      ShardConnections connections) {
    this.catalog = catalog;
    this.leases = leases;
    this.ownRouter = ownRouter;
    this.publisher = publisher;
    this.connections = connections;
  }

  /**
   * Ends all writing of the table under epochs before the newest.
   *
   * @throws ConcordException {@code gsi/timed-out} naming who is still there after {@code limit}
   */
  void drain(FencedTable table, Duration limit) throws InterruptedException {
    long deadline = System.nanoTime() + limit.toNanos();
    awaitRouters(deadline);
    SortedSet<Long> epochs = catalog.undrainedFences().getOrDefault(table, new TreeSet<>());
    if (epochs.isEmpty()) {
      return;
    }
    long newest = epochs.last();
    Collection<ShardId> shards = shards(table);
    for (ShardId shard : shards) {
      on(shard, table, connection -> raise(connection, table, newest));
    }
    for (ShardId shard : shards) {
      for (long epoch : epochs.headSet(newest)) {
        on(shard, table, connection -> awaitWriters(connection, shard, table, epoch, deadline));
      }
    }
    catalog.fenceDrained(table, newest);
    if (epochs.size() > 1) {
      log.info("fence drained table={} epoch={}", table, newest);
    }
  }

  /**
   * Finishes what an earlier daemon, or a document, has left to be drained. Tables whose writers
   * are still open wait for the next time.
   */
  public void finish() {
    SortedMap<FencedTable, SortedSet<Long>> all = catalog.undrainedFences();
    all.values().removeIf(epochs -> epochs.size() < 2);
    for (FencedTable table : all.keySet()) {
      try {
        drain(table, Duration.ofSeconds(1));
      } catch (ConcordException e) {
        log.debug("fence not drained yet table={} cause=\"{}\"", table, e.detail());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  private Collection<ShardId> shards(FencedTable table) {
    return publisher
        .current()
        .topology()
        .database(table.database())
        .map(database -> TopologyCheck.shardsOf(database.placement(table.table())))
        .orElse(new TreeSet<>());
  }

  // --- routers ---------------------------------------------------------------------------------

  private void awaitRouters(long deadline) throws InterruptedException {
    long revision = publisher.current().revision();
    if (!publisher.awaitDrained(remaining(deadline))) {
      throw stillOpen("this daemon's router: clients with a transaction from before");
    }
    while (true) {
      List<RouterLeases.Row> behind = new ArrayList<>(leases.behind(revision));
      behind.removeIf(router -> router.id().equals(ownRouter));
      if (behind.isEmpty()) {
        return;
      }
      if (System.nanoTime() - deadline >= 0) {
        List<String> names = new ArrayList<>();
        behind.forEach(
            router ->
                names.add(
                    "router %s at %s: transactions from before revision %d"
                        .formatted(router.id(), router.address(), revision)));
        throw stillOpen(String.join("\n", names));
      }
      pause();
    }
  }

  private static ConcordException stillOpen(String holders) {
    return ErrorCode.GSI_TIMED_OUT
        .because("transactions of the older state are still open")
        .withDetail(holders);
  }

  // --- shards ----------------------------------------------------------------------------------

  private interface Work {
    void run(Connection connection) throws SQLException, InterruptedException;
  }

  private void on(ShardId shard, FencedTable table, Work work) throws InterruptedException {
    try (Connection connection = connections.open(shard, table.database())) {
      work.run(connection);
    } catch (SQLException e) {
      throw ErrorCode.SHARD_UNREACHABLE
          .because("the fence of " + table + " cannot be moved on shard " + shard)
          .withDetail(String.valueOf(e.getMessage()))
          .withCause(e);
    }
  }

  private static String sequence(FencedTable table) {
    return "pgconcord." + Identifiers.quote(table.sequence());
  }

  private static void raise(Connection connection, FencedTable table, long epoch)
      throws SQLException {
    String sequence = Identifiers.literal(sequence(table));
    try (Statement statement = connection.createStatement()) {
      statement.execute(
          "SELECT setval(%1$s, greatest(%2$d, coalesce(pg_sequence_last_value(%1$s), 0)))"
              .formatted(sequence, epoch));
    }
  }

  private void awaitWriters(
      Connection connection, ShardId shard, FencedTable table, long epoch, long deadline)
      throws SQLException, InterruptedException {
    long begun = System.nanoTime();
    boolean named = false;
    while (!lockedOnce(connection, table, epoch)) {
      if (!named && System.nanoTime() - begun > GRACE.toNanos()) {
        named = true;
        end(connection, shard, table, epoch);
      }
      if (System.nanoTime() - deadline >= 0) {
        throw stillOpen(shard + ": " + String.join("\n", holders(connection, table, epoch)));
      }
      pause();
    }
  }

  /** Whoever has passed the fence holds the lock shared; whoever comes later reads the sequence. */
  private static boolean lockedOnce(Connection connection, FencedTable table, long epoch)
      throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT pg_try_advisory_xact_lock(%s::regclass::oid::bigint::bit(32)::int, %d)"
                    .formatted(Identifiers.literal(sequence(table)), epoch & Integer.MAX_VALUE))) {
      row.next();
      return row.getBoolean(1);
    }
  }

  private static List<String> holders(Connection connection, FencedTable table, long epoch)
      throws SQLException {
    List<String> lines = new ArrayList<>();
    try (PreparedStatement query = holdersQuery(connection, table, epoch);
        ResultSet row = query.executeQuery()) {
      while (row.next()) {
        row.getInt(1);
        lines.add(
            row.wasNull() ? "a prepared transaction (\"pgconcord tx list\")" : row.getString(2));
      }
    }
    return lines;
  }

  private static PreparedStatement holdersQuery(
      Connection connection, FencedTable table, long epoch) throws SQLException {
    PreparedStatement query = connection.prepareStatement(HOLDERS);
    query.setString(1, sequence(table));
    query.setLong(2, epoch & Integer.MAX_VALUE);
    return query;
  }

  /** Every router with a lease has acknowledged: these belong to none. */
  private static void end(Connection connection, ShardId shard, FencedTable table, long epoch)
      throws SQLException {
    for (String holder : holders(connection, table, epoch)) {
      log.warn(
          "a writer without a lease is ended table={} epoch={} shard={} holder=\"{}\"",
          table,
          epoch,
          shard,
          holder);
    }
    List<Integer> processes = new ArrayList<>();
    try (PreparedStatement query = holdersQuery(connection, table, epoch);
        ResultSet row = query.executeQuery()) {
      while (row.next()) {
        int process = row.getInt(1);
        if (!row.wasNull()) {
          processes.add(process);
        }
      }
    }
    try (PreparedStatement terminate =
        connection.prepareStatement("SELECT pg_terminate_backend(?)")) {
      for (int process : processes) {
        terminate.setInt(1, process);
        terminate.execute();
      }
    } catch (SQLException e) {
      log.warn(
          "a writer without a lease cannot be ended shard={} cause=\"{}\" remedy=\"GRANT"
              + " pg_signal_backend to the service role, or end it yourself\"",
          shard,
          e.getMessage());
    }
  }

  // --- direct connections ----------------------------------------------------------------------

  /**
   * Waits for transactions of the table's shards that began before now, so that few of their rows
   * are left to the audit; for so long, for one that only reads would be waited for as well.
   */
  void awaitDirect(FencedTable table) throws InterruptedException {
    long deadline = System.nanoTime() + DIRECT.toNanos();
    for (ShardId shard : shards(table)) {
      on(shard, table, connection -> awaitOlder(connection, shard, deadline));
    }
  }

  private static void awaitOlder(Connection connection, ShardId shard, long deadline)
      throws SQLException, InterruptedException {
    String moment;
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT clock_timestamp()::text")) {
      row.next();
      moment = row.getString(1);
    }
    List<String> older = older(connection, moment);
    while (!older.isEmpty() && System.nanoTime() - deadline < 0) {
      pause();
      older = older(connection, moment);
    }
    if (!older.isEmpty()) {
      log.warn(
          "transactions from before the step are left to the audit shard={} holders=\"{}\"",
          shard,
          String.join("; ", older));
    }
  }

  private static List<String> older(Connection connection, String moment) throws SQLException {
    List<String> lines = new ArrayList<>();
    try (PreparedStatement query =
        connection.prepareStatement(
            """
            SELECT concat_ws(', ', 'pid ' || pid, 'user ' || usename,
                     'application ' || coalesce(nullif(application_name, ''), '(none)'))
              FROM pg_catalog.pg_stat_activity
             WHERE datname = current_database() AND backend_type = 'client backend'
               AND pid <> pg_catalog.pg_backend_pid() AND usename <> current_user
               AND xact_start < ?::timestamptz
            UNION ALL
            SELECT 'prepared transaction ' || gid FROM pg_catalog.pg_prepared_xacts
             WHERE database = current_database() AND prepared < ?::timestamptz
             LIMIT 20
            """)) {
      query.setString(1, moment);
      query.setString(2, moment);
      try (ResultSet row = query.executeQuery()) {
        while (row.next()) {
          lines.add(row.getString(1));
        }
      }
    }
    return lines;
  }

  private static Duration remaining(long deadline) {
    return Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
  }

  private static void pause() throws InterruptedException {
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(LOOK.toMillis()));
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
  }
}
