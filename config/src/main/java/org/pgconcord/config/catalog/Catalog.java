package org.pgconcord.config.catalog;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.pgconcord.config.catalog.RoutingState.GsiStatus;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.schema.TableTrace;
import org.pgconcord.config.settings.ServerIdentity;
import org.pgconcord.config.topology.Gsi;
import org.pgconcord.config.topology.Topology;
import org.pgconcord.config.topology.TopologyReader;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;

/**
 * The catalog of one cluster. Blocks; used by any thread, never by an event loop.
 *
 * <h2>Why a change cannot be lost or half seen</h2>
 *
 * <p><b>Invariant.</b> The revisions of {@code topology} and {@code step} together are 1, 2, ...
 * {@code cluster.revision}, each once. Row {@code gsi} is what its last step says. The epoch of an
 * index is the number of its steps.
 *
 * <p><b>Writers are in one line.</b> Every change of a document or state first locks the single row
 * of {@code cluster} ({@code SELECT ... FOR UPDATE}), in READ COMMITTED. Whoever has the lock has
 * seen all earlier changes: the others' transactions have ended, and each statement after the lock
 * takes its snapshot after it. So the comparison (expected revision, expected state and epoch) is
 * with the newest state and stays true until the commit. Two writers with the same expectation: the
 * second waits, finds the revision or epoch raised, and is told {@code topology/revision-changed}
 * or {@code catalog/step-lost}. All take that row first and others after it, so they never form a
 * cycle; the lock is held for a few statements and never while anything else is awaited.
 *
 * <p><b>Readers see one moment.</b> Revision, document and states are read by one REPEATABLE READ
 * transaction, whose snapshot lies before or after any commit. A reader can be late, never mixed;
 * what lateness may do is the business of epochs and acknowledgements, not of this class.
 *
 * <p><b>An answer can get lost</b> (the connection breaks at COMMIT). The caller gets {@code
 * catalog/unavailable}, not knowing whether the step was taken, and reads again: {@code (from,
 * epoch)} means not taken, {@code (to, epoch + 1)} means taken, since only a step raises the epoch
 * and only one step can have had that expectation. Taking it again is therefore harmless: it is
 * refused.
 *
 * <p><b>Notifications</b> are sent in the changing transaction, so they arrive after what they tell
 * is visible. One may be missed (a broken connection); {@link CatalogWatch} also polls.
 *
 * <p>Marks of copies take a place in that line, so that their own version rises with the changes of
 * marks and a reader's snapshot has both counts of one moment; they raise no revision.
 *
 * <p>Reports, conflicts and suspects do not change routing: they take no place in that line. Each
 * of their writes is one statement or an idempotent one.
 */
public final class Catalog implements AutoCloseable {
  private final CatalogConnection session;

  /**
   * A catalog whose connections come from {@code source}: to the catalog database on the
   * authoritative shard, as the service role.
   */
  public Catalog(Supplier<Connection> source) {
    this.session = new CatalogConnection(source);
  }

  /**
   * All that is stored, of one moment.
   *
   * @throws ConcordException {@code catalog/unavailable}, or {@code catalog/newer-format} when a
   *     later version of pgConcord has written it
   */
  public CatalogState load() {
    return session.read(
        connection -> {
          try (Statement statement = connection.createStatement();
              ResultSet row =
                  statement.executeQuery("SELECT id, format, revision FROM pgconcord.cluster")) {
            row.next();
            requireFormat(row.getInt(2));
            return new CatalogState(
                row.getString(1),
                row.getLong(3),
                TopologyRows.newest(connection),
                CatalogReads.gsis(connection),
                CopyRows.marks(connection),
                FenceRows.newest(connection),
                CatalogReads.stands(connection));
          }
        });
  }

  /** The newest documents, the newest first. */
  public List<CatalogState.Document> documents(int limit) {
    return session.read(connection -> TopologyRows.documents(connection, limit));
  }

  /** The document that was applied as this revision; empty where it was another kind of step. */
  public Optional<CatalogState.Document> documentOf(long revision) {
    return session.read(
        connection ->
            TopologyRows.documents(connection, revision, 1).stream()
                .filter(document -> document.revision() == revision)
                .findFirst());
  }

  /**
   * Stores a document as the next revision and declares its new indexes.
   *
   * @param expectedRevision when present, the catalog must be at it; 0 means "none applied yet"
   * @return the new revision
   * @throws ConcordException {@code topology/invalid}, {@code topology/revision-changed}, {@code
   *     topology/not-acknowledged} while a router with a lease may work under an earlier revision
   */
  public long apply(String document, OptionalLong expectedRevision, String comment) {
    Topology topology = TopologyReader.read(document).orThrow();
    return session.write(
        connection -> {
          long revision = lockRevision(connection);
          if (expectedRevision.isPresent() && expectedRevision.getAsLong() != revision) {
            throw ErrorCode.TOPOLOGY_REVISION_CHANGED.because(
                "the catalog is at revision "
                    + revision
                    + ", expected was "
                    + expectedRevision.getAsLong());
          }
          Optional<Topology> before = TopologyRows.newestTopology(connection);
          if (!before.map(topology::differsInWishesAtMost).orElse(false)) {
            requireAcknowledged(connection, revision);
          }
          FenceRows.raise(connection, FenceRows.changed(before, topology), revision + 1);
          TopologyRows.insert(connection, revision + 1, document, comment);
          for (Topology.LogicalDatabase database : topology.databases().values()) {
            for (Gsi gsi : database.gsis()) {
              declare(connection, gsi.name());
            }
          }
          raise(connection, revision + 1);
          return revision + 1;
        });
  }

  /**
   * Takes a step if the index is still as expected.
   *
   * @return the new status; its epoch is the expected one plus 1
   * @throws ConcordException {@code catalog/step-lost} when something else was faster
   */
  public GsiStatus step(GsiStep step) {
    return session.write(
        connection -> {
          long revision = lockRevision(connection);
          GsiStatus current = CatalogReads.gsis(connection).get(step.gsi());
          requireExpected(step, revision, current);
          GsiStatus next = new GsiStatus(step.to(), step.reason(), step.expectedEpoch() + 1);
          CatalogWrites.step(connection, step, next, revision + 1);
          if (changesDuties(step)) {
            FenceRows.raise(connection, ownerOf(connection, step.gsi()), revision + 1);
          }
          raise(connection, revision + 1);
          return next;
        });
  }

  private static void requireExpected(
      GsiStep step, long revision, @org.jspecify.annotations.Nullable GsiStatus current) {
    boolean revisionFits =
        step.expectedRevision().isEmpty() || step.expectedRevision().getAsLong() == revision;
    boolean stateFits =
        current != null
            && current.state() == step.from()
            && current.epoch() == step.expectedEpoch();
    if (!revisionFits || !stateFits) {
      String state =
          current == null
              ? "not declared"
              : current.state().word() + " at epoch " + current.epoch();
      throw ErrorCode.CATALOG_STEP_LOST
          .because(
              "index "
                  + step.gsi()
                  + " cannot go from "
                  + step.from().word()
                  + " to "
                  + step.to().word())
          .withDetail("it is " + state + ", the catalog at revision " + revision);
    }
  }

  /** Writers have other duties when maintenance begins or ends, readers when reading does. */
  private static boolean changesDuties(GsiStep step) {
    return step.from().maintained() != step.to().maintained()
        || step.from().readable() != step.to().readable();
  }

  private static Set<FencedTable> ownerOf(Connection connection, GsiName gsi) throws SQLException {
    return TopologyRows.newestTopology(connection)
        .flatMap(topology -> topology.gsi(gsi))
        .map(found -> Set.of(new FencedTable(gsi.database(), found.owner())))
        .orElse(Set.of());
  }

  private static void requireAcknowledged(Connection connection, long revision)
      throws SQLException {
    List<RouterLeases.Row> behind = RouterLeases.behind(connection, revision);
    if (!behind.isEmpty()) {
      throw ErrorCode.TOPOLOGY_NOT_ACKNOWLEDGED
          .because("not every router has acknowledged revision " + revision)
          .withDetail(
              behind.stream()
                  .map(
                      router ->
                          "router %s at %s: revision %d"
                              .formatted(
                                  router.id(), router.address(), router.acknowledgedRevision()))
                  .collect(Collectors.joining("\n")));
    }
  }

  // --- fences ----------------------------------------------------------------------------------

  /** Gives every fenced table of the applied document an epoch that has none. */
  public void ensureFences() {
    session.write(
        connection -> {
          long revision = lockRevision(connection);
          Set<FencedTable> missing =
              TopologyRows.newestTopology(connection)
                  .<Set<FencedTable>>map(Fences::tables)
                  .orElse(new TreeSet<>());
          missing.removeAll(FenceRows.newest(connection).epochs().keySet());
          FenceRows.raise(connection, missing, revision);
          return revision;
        });
  }

  /** Of each fenced table the epochs whose writers may still be open, the newest last. */
  public SortedMap<FencedTable, SortedSet<Long>> undrainedFences() {
    return session.read(FenceRows::undrained);
  }

  /** Notes that nobody can write the table any more under an epoch below this one. */
  public void fenceDrained(FencedTable table, long epoch) {
    session.write(connection -> FenceRows.drained(connection, table, epoch));
  }

  // --- the rest --------------------------------------------------------------------------------

  /** The documents applied, newest first. */
  public List<CatalogState.Document> history() {
    return session.read(connection -> TopologyRows.documents(connection, Integer.MAX_VALUE));
  }

  /** Stores a report and returns its id. */
  public long storeReport(
      StoredReport.Kind kind, String subject, boolean clean, long revision, String json) {
    return session.write(c -> CatalogWrites.report(c, kind, subject, clean, revision, json));
  }

  public Optional<StoredReport> report(long id) {
    return session.read(c -> CatalogReads.report(c, "id = ?", id));
  }

  /** The newest report about a subject. */
  public Optional<StoredReport> newestReport(StoredReport.Kind kind, String subject) {
    return session.read(
        c -> CatalogReads.report(c, "kind = ? AND subject = ?", kind.word(), subject));
  }

  /** The report that the index's last step rested on. */
  public OptionalLong reportOf(GsiName gsi) {
    return session.read(c -> CatalogReads.reportOf(c, gsi));
  }

  /** Adds owners of doubly owned keys; those known already stay as they are. */
  public void addConflicts(GsiName gsi, List<Conflict> conflicts) {
    session.write(c -> CatalogWrites.conflicts(c, gsi, conflicts));
  }

  /** Forgets the conflicts of a key, when it has one owner at most. */
  public void resolveConflict(GsiName gsi, String key) {
    session.write(c -> CatalogWrites.delete(c, "conflict", gsi, key));
  }

  /** Forgets all conflicts of an index, when it is built anew. */
  public void clearConflicts(GsiName gsi) {
    session.write(c -> CatalogWrites.clear(c, "conflict", gsi));
  }

  /** Up to {@code limit} conflicts in key order. */
  public List<Conflict> conflicts(GsiName gsi, int limit) {
    return session.read(c -> CatalogReads.conflicts(c, gsi, limit));
  }

  public long countConflicts(GsiName gsi) {
    return session.read(c -> CatalogReads.count(c, "conflict", gsi));
  }

  /** Notes keys whose entries may be surplus; for the auditor to settle. */
  public void addSuspects(GsiName gsi, List<String> keys) {
    session.write(c -> CatalogWrites.suspects(c, gsi, keys));
  }

  /** The oldest suspects. */
  public List<String> suspects(GsiName gsi, int limit) {
    return session.read(c -> CatalogReads.suspects(c, gsi, limit));
  }

  public void removeSuspect(GsiName gsi, String key) {
    session.write(c -> CatalogWrites.delete(c, "suspect", gsi, key));
  }

  /** Notes a table's definition as it was read just now; the version that it is. */
  public TableVersion noteTable(GsiName gsi, ShardId shard, TableName table, TableTrace trace) {
    return session.write(c -> TableVersion.note(c, gsi, shard, table, trace));
  }

  /** What is known of owners' partitions. */
  public PartitionRows partitions() {
    return new PartitionRows(session);
  }

  /**
   * Marks copies of a table as unequal to its leader, or clears their marks. It is no step: the
   * revision stays, the marks' own version rises in the line of all changes.
   *
   * @param reason why they are marked; empty to clear
   */
  public void markCopies(CopiedTable table, Collection<ShardId> shards, String reason) {
    session.write(
        connection -> {
          long revision = lockRevision(connection);
          CopyRows.store(connection, table, shards, reason);
          notify(connection, revision);
          return revision;
        });
  }

  /** What is known of a table's copies, by shard; a copy that was never marked has no row. */
  public Map<ShardId, CopyStatus> copies(CopiedTable table) {
    return session.read(c -> CopyRows.statuses(c, table));
  }

  /**
   * Notes that a daemon runs.
   *
   * @return whether the one before ended without {@link #endRun}
   */
  public boolean beginRun() {
    return session.write(CopyRows::beginRun);
  }

  /** Notes that the daemon has ended with nothing left to be stored. */
  public void endRun() {
    session.write(CopyRows::endRun);
  }

  /** Shows people how far the indexes are; nothing is decided on it. */
  public void showProgress(List<GsiProgress> rows) {
    session.write(c -> GsiProgress.store(c, rows));
  }

  /** The servers known as the shards, for {@code ShardConnections.remember}. */
  public Map<ShardId, ServerIdentity> servers() {
    return session.read(CatalogReads::servers);
  }

  /** One that has been followed by another, as this catalog knows, stays forgotten. */
  public void rememberServers(Map<ShardId, ServerIdentity> servers) {
    session.write(c -> CatalogWrites.servers(c, servers));
  }

  /** Shards whose server has been followed, by the timeline of the follower, until settled. */
  public Map<ShardId, Integer> changedServers() {
    return session.read(CatalogReads::changedServers);
  }

  /** No index is read any more that was compared with an earlier server only. */
  public void serverSettled(ShardId shard, int timeline) {
    session.write(c -> CatalogWrites.serverSettled(c, shard, timeline));
  }

  @Override
  public void close() {
    session.close();
  }

  private static void requireFormat(int format) {
    if (format > CatalogSql.FORMAT) {
      throw ErrorCode.CATALOG_NEWER_FORMAT.because(
          "the catalog has format " + format + ", this version reads " + CatalogSql.FORMAT);
    }
  }

  private static long lockRevision(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery("SELECT revision, format FROM pgconcord.cluster FOR UPDATE")) {
      row.next();
      requireFormat(row.getInt(2));
      return row.getLong(1);
    }
  }

  private static void raise(Connection connection, long revision) throws SQLException {
    try (PreparedStatement update =
        connection.prepareStatement("UPDATE pgconcord.cluster SET revision = ?")) {
      update.setLong(1, revision);
      update.executeUpdate();
    }
    notify(connection, revision);
  }

  private static void notify(Connection connection, long revision) throws SQLException {
    try (PreparedStatement notify =
        connection.prepareStatement("SELECT pg_catalog.pg_notify(?, ?)")) {
      notify.setString(1, CatalogSql.CHANNEL);
      notify.setString(2, Long.toString(revision));
      notify.execute();
    }
  }

  private static void declare(Connection connection, GsiName gsi) throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement(
            "INSERT INTO pgconcord.gsi (database, name, state, reason, epoch)"
                + " VALUES (?, ?, 'declared', '', 0) ON CONFLICT (database, name) DO NOTHING")) {
      insert.setString(1, gsi.database());
      insert.setString(2, gsi.name());
      insert.executeUpdate();
    }
  }
}
