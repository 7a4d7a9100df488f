package org.pgconcord.cdc.slot;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.pgconcord.cdc.change.StreamName;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.Identifiers;
import org.pgconcord.config.value.Lsn;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The replication slots of one cluster: made, watched, dropped. Any thread. */
public final class Slots {
  private static final Logger LOG = LoggerFactory.getLogger(Slots.class);
  private static final int FAILOVER_SINCE = 17;
  private static final Duration LETTING_GO = Duration.ofSeconds(10);

  /** A held snapshot sits in an open transaction, and waiting for one may take long. */
  private static final List<String> NO_TIMEOUTS =
      List.of(
          "statement_timeout",
          "lock_timeout",
          "idle_in_transaction_session_timeout",
          "idle_session_timeout");

  private final SlotNames names;
  private final StreamConnections connections;

  public Slots(SlotNames names, StreamConnections connections) {
    this.names = names;
    this.connections = connections;
  }

  public SlotNames names() {
    return names;
  }

  /** The publications that the slots read. */
  public Publications publications() {
    return new Publications(names, connections);
  }

  /**
   * Makes the stream's slot and exports the snapshot of its consistent point. Waits for every
   * transaction that runs now ({@link #blockers}). An older slot of that name is dropped: it has no
   * snapshot any more.
   *
   * @throws org.pgconcord.config.error.ConcordException {@code cdc/slot-busy} when the older slot
   *     is being read: another index of this database is served by it, or another daemon
   */
  public HeldSnapshot create(StreamName stream) throws SQLException {
    refuseWhileRead(stream);
    drop(stream);
    Connection holder = connections.openReplication(stream);
    try {
      int backend = prepare(holder);
      boolean failover = holder.getMetaData().getDatabaseMajorVersion() >= FAILOVER_SINCE;
      String option = failover ? ", FAILOVER true" : "";
      return create(stream, names.slot(stream), "", option, holder, backend);
    } catch (SQLException | RuntimeException e) {
      holder.close();
      throw e;
    }
  }

  /**
   * Exports a snapshot beside the stream's own slot, which stays as it is: a temporary slot's, gone
   * with the result. What commits after its consistent point is in the stream's slot too as long as
   * nobody acknowledges that one past it.
   */
  public HeldSnapshot beside(StreamName stream) throws SQLException {
    Connection holder = connections.openReplication(stream);
    try {
      int backend = prepare(holder);
      String slot = names.slot(stream) + "_" + HexFormat.of().toHexDigits(backend);
      return create(stream, slot, " TEMPORARY", "", holder, backend);
    } catch (SQLException | RuntimeException e) {
      holder.close();
      throw e;
    }
  }

  /** A reader of ours that has just been closed needs a moment to let go. */
  private void refuseWhileRead(StreamName stream) throws SQLException {
    long deadline = System.nanoTime() + LETTING_GO.toNanos();
    while (health(stream).filter(SlotHealth::active).isPresent()) {
      if (System.nanoTime() - deadline > 0) {
        throw ErrorCode.SLOT_BUSY.because("the slot of stream " + stream + " is being read");
      }
      LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
    }
  }

  private static int prepare(Connection holder) throws SQLException {
    try (Statement statement = holder.createStatement()) {
      for (String setting : NO_TIMEOUTS) {
        statement.execute("SET " + setting + " = 0");
      }
      if (holder.getMetaData().getDatabaseMajorVersion() >= FAILOVER_SINCE) {
        statement.execute("SET transaction_timeout = 0");
      }
      try (ResultSet row = statement.executeQuery("SELECT pg_catalog.pg_backend_pid()")) {
        row.next();
        return row.getInt(1);
      }
    }
  }

  private static HeldSnapshot create(
      StreamName stream, String slot, String kind, String option, Connection holder, int backend)
      throws SQLException {
    String sql =
        "CREATE_REPLICATION_SLOT "
            + Identifiers.quote(slot)
            + kind
            + " LOGICAL pgoutput (SNAPSHOT 'export'"
            + option
            + ")";
    try (Statement statement = holder.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      Lsn consistentPoint = Lsn.parse(row.getString("consistent_point"));
      String snapshot = row.getString("snapshot_name");
      LOG.info("slot created stream={} slot={} consistent_point={}", stream, slot, consistentPoint);
      return new HeldSnapshot(stream, slot, consistentPoint, snapshot, backend, holder);
    }
  }

  /** The stream's slot; empty when there is none. */
  public Optional<SlotHealth> health(StreamName stream) throws SQLException {
    try (Connection connection = connections.open(stream)) {
      return health(stream, connection);
    }
  }

  private Optional<SlotHealth> health(StreamName stream, Connection connection)
      throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            "SELECT active, COALESCE(confirmed_flush_lsn, '0/0')::text,"
                + " COALESCE(wal_status, 'lost'), safe_wal_size,"
                + " COALESCE(pg_wal_lsn_diff(pg_current_wal_lsn(), confirmed_flush_lsn), 0),"
                + " COALESCE(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn), 0)"
                + " FROM pg_catalog.pg_replication_slots WHERE slot_name = ?")) {
      statement.setString(1, names.slot(stream));
      try (ResultSet row = statement.executeQuery()) {
        return row.next() ? Optional.of(health(row)) : Optional.empty();
      }
    }
  }

  private static SlotHealth health(ResultSet row) throws SQLException {
    long safe = row.getLong(4);
    OptionalLong safeBytes = row.wasNull() ? OptionalLong.empty() : OptionalLong.of(safe);
    return new SlotHealth(
        row.getBoolean(1),
        Lsn.parse(row.getString(2)),
        row.getString(3),
        Math.max(0, row.getLong(5)),
        Math.max(0, row.getLong(6)),
        safeBytes);
  }

  /**
   * Refuses a slot that cannot be read; of one that can, what its reader has to prove.
   *
   * @throws org.pgconcord.config.error.ConcordException {@code cdc/slot-lost} when it is gone or
   *     its log is; {@code cdc/slot-busy} when another process reads it
   */
  public SlotGuard guard(StreamName stream) throws SQLException {
    Connection connection = connections.open(stream);
    boolean keep = false;
    try {
      String since = now(connection);
      requireFree(stream, health(stream, connection));
      keep = true;
      return new SlotGuard(connection, stream.shard(), names.slot(stream), since);
    } finally {
      if (!keep) {
        connection.close();
      }
    }
  }

  private static String now(Connection connection) throws SQLException {
    try (PreparedStatement statement =
            connection.prepareStatement("SELECT pg_catalog.clock_timestamp()::text");
        ResultSet row = statement.executeQuery()) {
      row.next();
      return row.getString(1);
    }
  }

  private static void requireFree(StreamName stream, Optional<SlotHealth> health) {
    if (health.isEmpty()) {
      throw ErrorCode.SLOT_LOST.because("stream " + stream + " has no slot any more");
    }
    if (health.get().isLost()) {
      throw ErrorCode.SLOT_LOST.because("the slot of stream " + stream + " has lost its log");
    }
    if (health.get().active()) {
      throw ErrorCode.SLOT_BUSY.because("the slot of stream " + stream + " is being read");
    }
  }

  /** Drops the stream's slot if there is one, ending a reader of ours that is still attached. */
  public void drop(StreamName stream) throws SQLException {
    drop(stream, names.slot(stream));
  }

  private void drop(StreamName stream, String slot) throws SQLException {
    try (Connection connection = connections.open(stream)) {
      terminateReader(connection, slot);
      try (PreparedStatement statement =
          connection.prepareStatement(
              "SELECT pg_catalog.pg_drop_replication_slot(slot_name)"
                  + " FROM pg_catalog.pg_replication_slots WHERE slot_name = ?")) {
        statement.setString(1, slot);
        try (ResultSet row = statement.executeQuery()) {
          if (row.next()) {
            LOG.info("slot dropped stream={} slot={}", stream, slot);
          }
        }
      }
    }
  }

  /** A walsender of a daemon that was killed may outlive it for a while. */
  private static void terminateReader(Connection connection, String slot) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            "SELECT pg_catalog.pg_terminate_backend(active_pid, 5000)"
                + " FROM pg_catalog.pg_replication_slots"
                + " WHERE slot_name = ? AND active_pid IS NOT NULL")) {
      statement.setString(1, slot);
      statement.execute();
    }
  }

  /**
   * Drops slots of this cluster on the stream's server and database that no stream in {@code
   * wanted} uses: what a start that crashed, or an index that is gone, left behind.
   *
   * @return the names dropped
   */
  public List<String> dropOrphans(StreamName on, Collection<StreamName> wanted)
      throws SQLException {
    List<String> keep = wanted.stream().map(names::slot).toList();
    List<String> orphans = new ArrayList<>();
    try (Connection connection = connections.open(on);
        PreparedStatement statement =
            connection.prepareStatement(
                "SELECT slot_name FROM pg_catalog.pg_replication_slots"
                    + " WHERE starts_with(slot_name::text, ?) AND NOT active AND NOT temporary"
                    + " AND database = current_database() ORDER BY 1")) {
      statement.setString(1, names.prefix());
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          orphans.add(rows.getString(1));
        }
      }
    }
    orphans.removeAll(keep);
    for (String orphan : orphans) {
      drop(on, orphan);
    }
    return orphans;
  }

  /** The transactions that {@link #create} would wait for now, the oldest first. */
  public List<Blocker> blockers(StreamName stream) throws SQLException {
    List<Blocker> blockers = new ArrayList<>();
    try (Connection connection = connections.open(stream);
        Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "SELECT 'pid ' || pid, usename, state,"
                    + " extract(epoch FROM clock_timestamp() - xact_start)::bigint"
                    + " FROM pg_catalog.pg_stat_activity"
                    + " WHERE backend_xid IS NOT NULL AND pid <> pg_backend_pid()"
                    + " UNION ALL SELECT 'prepared ' || quote_literal(gid), owner, 'prepared',"
                    + " extract(epoch FROM clock_timestamp() - prepared)::bigint"
                    + " FROM pg_catalog.pg_prepared_xacts ORDER BY 4 DESC NULLS LAST")) {
      while (rows.next()) {
        blockers.add(
            new Blocker(
                rows.getString(1),
                orUnknown(rows.getString(2)),
                orUnknown(rows.getString(3)),
                Duration.ofSeconds(rows.getLong(4))));
      }
    }
    return blockers;
  }

  private static String orUnknown(@Nullable String text) {
    return text == null ? "unknown" : text;
  }
}
