package org.pgconcord.cdc.apply;

import static org.pgconcord.testkit.fixture.TwoShards.A;
import static org.pgconcord.testkit.fixture.TwoShards.B;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.pgconcord.cdc.StreamFixture;
import org.pgconcord.cdc.change.ChangeStream;
import org.pgconcord.cdc.change.RowChange;
import org.pgconcord.cdc.change.SourceTransaction;
import org.pgconcord.cdc.change.StreamName;
import org.pgconcord.config.catalog.CatalogInstaller;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.Lsn;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.Tuple;
import org.pgconcord.gsi.Entry;
import org.pgconcord.gsi.LookupDdl;
import org.pgconcord.gsi.LookupIndex;
import org.pgconcord.gsi.RowImage;
import org.pgconcord.gsi.SettlementRunner;
import org.pgconcord.state.store.StateStore;
import org.pgconcord.testkit.cluster.ShardCluster;
import org.pgconcord.testkit.fixture.TwoShards;
import org.pgconcord.testkit.fixture.UsersByEmail;

/** Tails over two real shards, fed by scripted slots. */
final class Rig implements TailListener, DuplicateListener, AutoCloseable {
  final LookupIndex index;
  final List<String> heard = new CopyOnWriteArrayList<>();
  private final Map<ShardId, ScriptedSlot> slots =
      Map.of(A, new ScriptedSlot(), B, new ScriptedSlot());
  private final StreamFixture fixture;
  private final Path directory;
  private volatile @Nullable ConcordException problem;
  private StateStore store;
  private Tails tails;

  /** Empty tables, and a lookup table that is loaded up to position 0. */
  Rig(ShardCluster cluster, Path directory) throws SQLException {
    this(cluster, directory, Indexes.byEmail());
  }

  Rig(ShardCluster cluster, Path directory, LookupIndex index) throws SQLException {
    this.index = index;
    this.fixture = new StreamFixture(cluster);
    this.directory = directory;
    for (ShardId shard : List.of(A, B)) {
      fixture.asOwner(shard, "DROP TABLE IF EXISTS users", Indexes.CREATE_USERS);
    }
    for (ShardId shard : index.lookupShards()) {
      load(shard);
    }
    this.store = StateStore.open(directory);
    this.tails = engine();
  }

  private void load(ShardId shard) throws SQLException {
    try (Connection lookup = fixture.open(shard)) {
      CatalogInstaller.installShard(lookup);
      StreamFixture.execute(
          lookup,
          "DROP TABLE IF EXISTS pgconcord.parked",
          "DELETE FROM pgconcord.progress",
          LookupDdl.dropTable(index));
      StreamFixture.execute(lookup, LookupDdl.createTable(index).toArray(String[]::new));
      StreamFixture.execute(
          lookup,
          "INSERT INTO pgconcord.progress VALUES ('shard-a', 'app.by_email', '0/0', 1),"
              + " ('shard-b', 'app.by_email', '0/0', 1)");
    }
  }

  /** An engine over these slots and tables; several may run at once. */
  Tails engine() {
    return new Tails(
        new Tails.Services(
            "app",
            new StreamFactory() {
              @Override
              public ChangeStream open(StreamName stream, Collection<LookupIndex> indexes) {
                return slot(stream.shard()).open();
              }

              @Override
              public Optional<ConcordException> problem(StreamName stream, LookupIndex of) {
                return Optional.ofNullable(problem);
              }

              @Override
              public Lsn confirmed(StreamName stream) {
                return slot(stream.shard()).confirmed();
              }
            },
            fixture::open,
            store,
            this,
            this,
            Suspects.none(),
            Duration.ofHours(24),
            Clock.systemUTC()));
  }

  SettlementRunner settlements() {
    return new SettlementRunner(index, fixture::open, Duration.ofSeconds(2));
  }

  Tails running() {
    return tails;
  }

  /** The process ends and starts again; with {@code forget} its local memory is gone. */
  void restart(ServingMode mode, boolean forget) {
    tails.close();
    store.close();
    store = StateStore.open(forget ? directory.resolveSibling("new-state") : directory);
    tails = engine();
    tails.serve(index, mode);
  }

  private ScriptedSlot slot(ShardId shard) {
    return Objects.requireNonNull(slots.get(shard));
  }

  String tenant(ShardId shard, int ordinal) {
    return TwoShards.tenantOf(shard, ordinal);
  }

  // --- what happens on an owner shard
  // --------------------------------------------------------------

  /** A transaction arrives; its id is one that every server has seen long ago. */
  void commit(ShardId shard, long lsn, RowChange... changes) {
    slot(shard).commit(new SourceTransaction(700, new Lsn(lsn), Instant.now(), List.of(changes)));
  }

  void mark(ShardId shard, long lsn) {
    slot(shard).mark(lsn);
  }

  private static RowImage row(String tenant, String email) {
    return new RowImage(Map.of("tenant_id", tenant, "email", email));
  }

  static RowChange insert(String tenant, String email) {
    return RowChange.insert(UsersByEmail.USERS, row(tenant, email));
  }

  static RowChange delete(String tenant, String email) {
    return RowChange.delete(UsersByEmail.USERS, row(tenant, email));
  }

  static RowChange update(String tenant, String before, String after) {
    return RowChange.update(UsersByEmail.USERS, row(tenant, before), row(tenant, after));
  }

  // --- what is there
  // -------------------------------------------------------------------------------

  /** email -> tenant, as the lookup table has it. */
  Map<String, String> entries() throws SQLException {
    Map<String, String> entries = new TreeMap<>();
    for (ShardId shard : index.lookupShards()) {
      entries.putAll(entries(shard));
    }
    return entries;
  }

  /** Those on one lookup shard. */
  Map<String, String> entries(ShardId shard) throws SQLException {
    Map<String, String> entries = new TreeMap<>();
    try (Connection lookup = fixture.open(shard);
        Statement statement = lookup.createStatement();
        ResultSet rows = statement.executeQuery("SELECT email, tenant_id FROM users_by_email")) {
      while (rows.next()) {
        entries.put(rows.getString(1), rows.getString(2));
      }
    }
    return entries;
  }

  /** The owner tables no longer tell what the index needs. */
  void alterOwners(ConcordException noticed) {
    problem = noticed;
  }

  List<ParkedEntry> parked() {
    return tails.parked(index, 100);
  }

  Lsn confirmed(ShardId shard) {
    return slot(shard).confirmed();
  }

  void onLookup(String... statements) throws SQLException {
    try (Connection lookup = fixture.open(A)) {
      StreamFixture.execute(lookup, statements);
    }
  }

  void onOwner(ShardId shard, String... statements) throws SQLException {
    fixture.asOwner(shard, statements);
  }

  @Override
  public void streamLost(StreamName stream, Throwable cause) {
    heard.add("lost " + stream);
  }

  @Override
  public void blocked(GsiName gsi, StreamName stream, ConcordException cause) {
    heard.add("blocked " + cause.code().id());
  }

  @Override
  public void truncated(GsiName gsi, StreamName stream) {
    heard.add("truncated " + stream);
  }

  @Override
  public void found(LookupIndex of, Entry second, Tuple holder) {
    heard.add("duplicate " + second.identity());
  }

  @Override
  public void gone(LookupIndex of, Entry second) {
    heard.add("resolved " + second.identity());
  }

  @Override
  public void close() {
    tails.close();
    store.close();
  }
}
