package org.pgconcord.cdc.apply;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.pgconcord.testkit.fixture.TwoShards.A;
import static org.pgconcord.testkit.fixture.TwoShards.B;

import java.io.StringReader;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgconcord.cdc.StreamFixture;
import org.pgconcord.cdc.change.StreamName;
import org.pgconcord.cdc.slot.Fences;
import org.pgconcord.cdc.slot.HeldSnapshot;
import org.pgconcord.cdc.slot.Publications;
import org.pgconcord.cdc.slot.SlotNames;
import org.pgconcord.cdc.slot.Slots;
import org.pgconcord.cdc.source.DebeziumStreams;
import org.pgconcord.config.catalog.CatalogInstaller;
import org.pgconcord.config.catalog.Progress;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.Lsn;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.Tuple;
import org.pgconcord.gsi.Entry;
import org.pgconcord.gsi.LookupDdl;
import org.pgconcord.gsi.LookupIndex;
import org.pgconcord.state.store.StateStore;
import org.pgconcord.testkit.cluster.ClusterRoles;
import org.pgconcord.testkit.cluster.ShardCluster;
import org.pgconcord.testkit.fixture.TwoShards;
import org.pgconcord.testkit.fixture.UsersByEmail;
import org.postgresql.PGConnection;

/** Slots, Debezium and tails together, over two real shards. */
class SyncIT implements TailListener, DuplicateListener {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static ShardCluster cluster;
  private static StreamFixture fixture;
  private final LookupIndex index = Indexes.byEmail();
  private final List<String> heard = new CopyOnWriteArrayList<>();
  private Path directory;
  private Slots slots;
  private Publications publications;
  private StateStore store;
  private Tails tails;

  @BeforeAll
  static void startShards() {
    cluster = ShardCluster.start(2);
    fixture = new StreamFixture(cluster);
  }

  @AfterAll
  static void stopShards() {
    cluster.close();
  }

  @BeforeEach
  void prepare(@TempDir Path temporary) throws Exception {
    directory = temporary;
    SlotNames names = new SlotNames("0123456789ab");
    slots = new Slots(names, fixture);
    publications = new Publications(names, fixture);
    Map<ShardId, Lsn> points = new TreeMap<>();
    for (ShardId shard : List.of(A, B)) {
      fixture.asOwner(
          shard,
          "DROP TABLE IF EXISTS users",
          Indexes.CREATE_USERS,
          "ALTER TABLE users REPLICA IDENTITY FULL");
      publications.publish(stream(shard), UsersByEmail.USERS, List.of("tenant_id", "email"));
      try (HeldSnapshot snapshot = slots.create(stream(shard))) {
        points.put(shard, snapshot.consistentPoint());
      }
    }
    load(points);
    start("first");
  }

  private void load(Map<ShardId, Lsn> points) throws SQLException {
    try (Connection lookup = fixture.open(A)) {
      CatalogInstaller.installShard(lookup);
      StreamFixture.execute(lookup, LookupDdl.dropTable(index));
      StreamFixture.execute(lookup, LookupDdl.createTable(index).toArray(String[]::new));
      for (Map.Entry<ShardId, Lsn> point : points.entrySet()) {
        String stream = point.getKey().uid();
        Progress.remove(lookup, stream, index.name().toString());
        new Progress(stream, index.name().toString(), point.getValue(), 1).store(lookup);
      }
    }
  }

  private void start(String state) {
    store = StateStore.open(directory.resolve(state));
    tails =
        new Tails(
            new Tails.Services(
                "app",
                new DebeziumStreams(SyncIT::address, slots, store),
                fixture::open,
                store,
                this,
                this,
                Suspects.none(),
                Duration.ofHours(24),
                Clock.systemUTC()));
  }

  private static DebeziumStreams.Address address(StreamName stream) {
    return new DebeziumStreams.Address(
        "127.0.0.1",
        cluster.shard(stream.shard()).port(),
        ShardCluster.DATABASE,
        ClusterRoles.SERVICE,
        "",
        "disable");
  }

  @AfterEach
  void stop() throws Exception {
    tails.close();
    store.close();
    for (ShardId shard : List.of(A, B)) {
      slots.drop(stream(shard));
      publications.drop(stream(shard));
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aCopyCutByAStopOfTheEngineLosesNothing(boolean forget) throws Exception {
    tails.serve(index, ServingMode.BLIND);
    String tenant = TwoShards.tenantOf(B, 0);
    copy(B, tenant, 10_000);
    tails.close();
    store.close();
    start(forget ? "second" : "first");
    tails.serve(index, ServingMode.BLIND);
    awaitTrue();
    assertThat(entries()).hasSize(10_000);
  }

  @Test
  void writersOnBothShardsAndMovesBetweenThemEndInTrueEntries() throws Exception {
    tails.serve(index, ServingMode.BLIND);
    RandomGenerator random = RandomGenerator.getDefault();
    try (Connection a = cluster.asOwner(A);
        Connection b = cluster.asOwner(B)) {
      Map<ShardId, Connection> owners = Map.of(A, a, B, b);
      Map<String, String> tenants = new TreeMap<>();
      for (int step = 0; step < 600; step++) {
        move(owners, tenants, "m" + random.nextInt(40), random.nextInt(6));
        if (step == 300) {
          tails.close();
          store.close();
          start("second");
          tails.serve(index, ServingMode.BLIND);
        }
      }
    }
    awaitTrue();
    assertThat(tails.parked(index, 10)).isEmpty();
    assertThat(heard).isEmpty();
  }

  /** The email leaves its tenant, if it has one, and then appears at another. */
  private void move(
      Map<ShardId, Connection> owners, Map<String, String> tenants, String email, int ordinal)
      throws SQLException {
    String old = tenants.remove(email);
    if (old != null) {
      run(owners, old, "DELETE FROM users WHERE email = '" + email + "'");
    }
    if (ordinal > 0) {
      String tenant = TwoShards.tenantOf(ordinal % 2 == 0 ? A : B, ordinal / 2);
      run(
          owners,
          tenant,
          "INSERT INTO users VALUES (" + tenant + ", hashtext('" + email + "'), '" + email + "')");
      tenants.put(email, tenant);
    }
  }

  private void run(Map<ShardId, Connection> owners, String tenant, String sql) throws SQLException {
    Connection owner = owners.get(index.shardOf(Tuple.of(tenant)));
    if (owner == null) {
      throw new IllegalStateException("no shard for tenant " + tenant);
    }
    StreamFixture.execute(owner, sql);
  }

  @Test
  void directWritesAreRepairedByTheAuditor() throws Exception {
    tails.serve(index, ServingMode.BLIND);
    String a = TwoShards.tenantOf(A, 0);
    String b = TwoShards.tenantOf(B, 0);
    fixture.asOwner(A, "INSERT INTO users VALUES (" + a + ", 1, 'x'), (" + a + ", 2, 'y')");
    awaitTrue();
    tails.quiesceBlindWrites(index.name());
    fixture.asOwner(A, "DELETE FROM users WHERE email = 'x'");
    fixture.asOwner(B, "INSERT INTO users VALUES (" + b + ", 1, 'x'), (" + b + ", 2, 'z')");
    fixture.asOwner(A, "UPDATE users SET email = 'w' WHERE email = 'y'");
    awaitTrue();
    assertThat(entries()).isEqualTo(Map.of("x", b, "z", b, "w", a));
  }

  @Test
  void theSlotFollowsOnAnIdleShardAndNeverPassesTheProgressRow() throws Exception {
    tails.serve(index, ServingMode.BLIND);
    Lsn before;
    try (Connection owner = fixture.open(B)) {
      before = Fences.position(owner);
    }
    await()
        .atMost(LIMIT)
        .until(() -> !slots.health(stream(B)).orElseThrow().confirmed().isBefore(before));
    try (Connection lookup = fixture.open(A)) {
      Lsn confirmed = slots.health(stream(B)).orElseThrow().confirmed();
      Lsn stored = new ProgressRow(stream(B), index.name()).read(lookup).orElseThrow().position();
      assertThat(confirmed).isLessThanOrEqualTo(stored);
    }
  }

  // --- what is true
  // --------------------------------------------------------------------------------

  private void awaitTrue() throws Exception {
    for (ShardId shard : List.of(A, B)) {
      try (Connection owner = fixture.open(shard)) {
        assertThat(tails.positions().awaitApplied(shard, Fences.position(owner), LIMIT)).isTrue();
      }
    }
    await()
        .atMost(LIMIT)
        .pollInterval(Duration.ofMillis(50))
        .untilAsserted(() -> assertThat(entries()).isEqualTo(owners()));
  }

  private Map<String, String> entries() throws SQLException {
    return read(A, "SELECT email, tenant_id FROM users_by_email");
  }

  private Map<String, String> owners() throws SQLException {
    Map<String, String> owners = read(A, "SELECT email, tenant_id FROM users");
    owners.putAll(read(B, "SELECT email, tenant_id FROM users"));
    return owners;
  }

  private static Map<String, String> read(ShardId shard, String sql) throws SQLException {
    Map<String, String> rows = new TreeMap<>();
    try (Connection connection = fixture.open(shard);
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      while (result.next()) {
        rows.put(result.getString(1), result.getString(2));
      }
    }
    return rows;
  }

  private static void copy(ShardId shard, String tenant, int rows) throws Exception {
    StringBuilder lines = new StringBuilder();
    for (int i = 1; i <= rows; i++) {
      lines.append(tenant).append('\t').append(i).append("\tc").append(i).append('\n');
    }
    try (Connection connection = cluster.asOwner(shard)) {
      connection
          .unwrap(PGConnection.class)
          .getCopyAPI()
          .copyIn(
              "COPY users (tenant_id, user_id, email) FROM STDIN",
              new StringReader(lines.toString()));
    }
  }

  private static StreamName stream(ShardId shard) {
    return new StreamName("app", shard);
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
}
