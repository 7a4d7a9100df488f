package org.pgconcord.cdc.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pgconcord.cdc.Collector;
import org.pgconcord.cdc.StreamFixture;
import org.pgconcord.cdc.change.ChangeStream;
import org.pgconcord.cdc.change.RowChange;
import org.pgconcord.cdc.change.SourceTransaction;
import org.pgconcord.cdc.change.StreamName;
import org.pgconcord.cdc.slot.Fences;
import org.pgconcord.cdc.slot.HeldSnapshot;
import org.pgconcord.cdc.slot.Publications;
import org.pgconcord.cdc.slot.SlotHealth;
import org.pgconcord.cdc.slot.SlotNames;
import org.pgconcord.cdc.slot.Slots;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.sharding.KeyType;
import org.pgconcord.config.value.Lsn;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;
import org.pgconcord.state.store.StateStore;
import org.pgconcord.testkit.cluster.ClusterRoles;
import org.pgconcord.testkit.cluster.ShardCluster;

/** What a stream promises, held against a real server. */
@SuppressWarnings("try") // a stream is open for its effect
class DebeziumStreamIT {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final TableName USERS = new TableName("public", "users");
  private static final StreamName STREAM = new StreamName("app", new ShardId("shard-a"));
  private static ShardCluster cluster;
  private static StreamFixture fixture;

  private Slots slots;
  private Publications publications;
  private StateStore store;
  private Lsn start;

  @BeforeAll
  static void startServer() {
    cluster = ShardCluster.start(2);
    fixture = new StreamFixture(cluster);
  }

  @AfterAll
  static void stopServer() {
    cluster.close();
  }

  @BeforeEach
  void prepare(@TempDir Path directory) throws Exception {
    fixture.asOwner(
        STREAM.shard(),
        "DROP TABLE IF EXISTS users",
        "CREATE TABLE users (tenant_id bigint, user_id bigint, email text NOT NULL, name text,"
            + " PRIMARY KEY (tenant_id, user_id), UNIQUE (tenant_id, email))",
        "ALTER TABLE users REPLICA IDENTITY FULL");
    SlotNames names = new SlotNames("0123456789ab");
    slots = new Slots(names, fixture);
    publications = new Publications(names, fixture);
    publications.publish(STREAM, USERS, List.of("tenant_id", "email"));
    try (HeldSnapshot snapshot = slots.create(STREAM)) {
      start = snapshot.consistentPoint();
    }
    store = StateStore.open(directory.resolve("state"));
  }

  @AfterEach
  void clean() throws Exception {
    store.close();
    slots.drop(STREAM);
    publications.drop(STREAM);
  }

  @Test
  void transactionsComeWholeAndInCommitOrder() throws Exception {
    Collector heard = new Collector();
    ChangeStream stream = open(heard, SourceSettings.TRANSACTION_ROWS);
    try (stream;
        Connection one = cluster.asOwner(STREAM.shard());
        Connection two = cluster.asOwner(STREAM.shard())) {
      one.setAutoCommit(false);
      two.setAutoCommit(false);
      StreamFixture.execute(one, "INSERT INTO users VALUES (1, 1, 'a@x', 'a')");
      StreamFixture.execute(two, "INSERT INTO users VALUES (2, 2, 'b@x', 'b')");
      StreamFixture.execute(one, "UPDATE users SET email = 'c@x' WHERE user_id = 1");
      two.commit();
      one.commit();
      StreamFixture.execute(one, "DELETE FROM users WHERE user_id = 2", "TRUNCATE users");
      one.commit();
      await().atMost(LIMIT).until(() -> heard.transactions().size() >= 3);
    }
    assertThat(heard.changes())
        .extracting(change -> change.kind() + " " + email(change))
        .containsExactly(
            "INSERT null>b@x",
            "INSERT null>a@x",
            "UPDATE a@x>c@x",
            "DELETE b@x>null",
            "TRUNCATE null>null");
    assertThat(heard.transactions())
        .extracting(SourceTransaction::commitLsn)
        .isSorted()
        .allMatch(start::isBefore);
  }

  @Test
  void aTransactionTooLargeForMemoryComesFromTheSpool() throws Exception {
    Collector heard = new Collector();
    ChangeStream stream = open(heard, 100);
    try (stream) {
      fixture.asOwner(
          STREAM.shard(),
          "INSERT INTO users SELECT i % 7, i, 'u' || i || '@x', 'n' FROM generate_series(1, 2500) i");
      await().atMost(LIMIT).until(() -> heard.changes().size() == 2500);
    }
    assertThat(heard.changes()).extracting(DebeziumStreamIT::email).doesNotHaveDuplicates();
  }

  @Test
  void aCopyCutInTheMiddleIsDeliveredWholeAfterTheRestart() throws Exception {
    copy(10_000);
    Collector first =
        new Collector() {
          @Override
          public synchronized void transaction(SourceTransaction transaction)
              throws InterruptedException {
            throw new InterruptedException("the consumer dies before anything is durable");
          }
        };
    try (ChangeStream stream = open(first, 1_000)) {
      await().atMost(LIMIT).until(() -> !spoolIsEmpty());
    }
    Collector second = new Collector();
    try (ChangeStream stream = open(second, 1_000)) {
      await().atMost(LIMIT).until(() -> second.changes().size() >= 10_000);
    }
    Set<String> emails = new TreeSet<>();
    second.changes().forEach(change -> emails.add(email(change)));
    assertThat(second.changes()).hasSize(10_000);
    assertThat(emails).hasSize(10_000);
  }

  @Test
  void onlyWhatWasAcknowledgedIsNotDeliveredAgain() throws Exception {
    Collector first = new Collector();
    Lsn acknowledged;
    try (ChangeStream stream = open(first, 1_000)) {
      fixture.asOwner(STREAM.shard(), "INSERT INTO users VALUES (1, 1, 'a@x', 'a')");
      await().atMost(LIMIT).until(() -> first.transactions().size() == 1);
      acknowledged = first.transactions().get(0).commitLsn();
      stream.acknowledge(acknowledged);
      fixture.asOwner(STREAM.shard(), "INSERT INTO users VALUES (1, 2, 'b@x', 'b')");
      await().atMost(LIMIT).until(() -> !confirmed().isBefore(acknowledged));
      await().atMost(LIMIT).until(() -> first.transactions().size() == 2);
      assertThat(confirmed()).isLessThan(first.transactions().get(1).commitLsn());
    }
    Collector second = new Collector();
    try (ChangeStream stream = open(second, 1_000)) {
      await().atMost(LIMIT).until(() -> !second.transactions().isEmpty());
    }
    assertThat(second.changes()).extracting(DebeziumStreamIT::email).containsExactly("null>b@x");
  }

  /**
   * The engine's own heartbeat carries the last commit position; it must never move the slot, while
   * our mark behind everything may.
   */
  @Test
  void anIdleStreamStillMovesTheSlotByMarksThatWereAcknowledged() throws Exception {
    Collector heard = new Collector();
    try (ChangeStream stream = open(heard, 1_000)) {
      fixture.asOwner(STREAM.shard(), "INSERT INTO users VALUES (1, 1, 'a@x', 'a')");
      await().atMost(LIMIT).until(() -> heard.messages().size() >= 3);
      assertThat(confirmed()).isEqualTo(start);
      Lsn position = heard.position();
      stream.acknowledge(position);
      await().atMost(LIMIT).until(() -> !confirmed().isBefore(position));
    }
  }

  /**
   * The receiver is stopped between the last row of a transaction and its end being durable. The
   * engine's heartbeats go on and carry that transaction's commit position; then all is killed.
   */
  @Test
  void heartbeatsBetweenDeliveryAndDurabilityNeverMoveTheSlot() throws Exception {
    CountDownLatch delivered = new CountDownLatch(1);
    CountDownLatch killed = new CountDownLatch(1);
    Collector stuck =
        new Collector() {
          @Override
          public synchronized void transaction(SourceTransaction transaction)
              throws InterruptedException {
            delivered.countDown();
            killed.await();
            throw new InterruptedException("killed before anything is durable");
          }
        };
    ChangeStream stream = open(stuck, 1_000);
    fixture.asOwner(STREAM.shard(), "INSERT INTO users VALUES (1, 1, 'a@x', 'a')");
    assertThat(delivered.await(30, TimeUnit.SECONDS)).isTrue();
    try (Connection marks = fixture.open(STREAM)) {
      Lsn before = Fences.position(marks);
      await().atMost(LIMIT).until(() -> Fences.position(marks).minus(before) > 500);
    }
    assertThat(confirmed()).isEqualTo(start);
    killed.countDown();
    stream.close();
    assertThat(confirmed()).isEqualTo(start);
    Collector second = new Collector();
    try (ChangeStream again = open(second, 1_000)) {
      await().atMost(LIMIT).until(() -> !second.transactions().isEmpty());
    }
    assertThat(second.changes()).extracting(DebeziumStreamIT::email).containsExactly("null>a@x");
  }

  @Test
  void aFenceComesAfterAllThatCommittedBeforeIt() throws Exception {
    Collector heard = new Collector();
    try (ChangeStream stream = open(heard, 1_000);
        Connection connection = fixture.open(STREAM)) {
      fixture.asOwner(STREAM.shard(), "INSERT INTO users VALUES (1, 1, 'a@x', 'a')");
      Lsn fence = Fences.emit(connection, "my fence");
      await()
          .atMost(LIMIT)
          .until(() -> heard.messages().stream().anyMatch(m -> m.content().equals("my fence")));
      assertThat(heard.transactions()).hasSize(1);
      assertThat(heard.transactions().get(0).commitLsn()).isLessThan(fence);
    }
  }

  @Test
  void aLostSlotEndsTheStreamForGood() throws Exception {
    slots.drop(STREAM);
    Collector heard = new Collector();
    try (ChangeStream stream = open(heard, 1_000)) {
      await().atMost(LIMIT).until(heard::hasEnded);
    }
    assertThat(heard.end())
        .asInstanceOf(InstanceOfAssertFactories.type(ConcordException.class))
        .extracting(ConcordException::code)
        .isEqualTo(ErrorCode.SLOT_LOST);
  }

  @Test
  void aServerThatGoesAwayIsWaitedFor() throws Exception {
    Collector heard = new Collector();
    try (ChangeStream stream = open(heard, 1_000)) {
      fixture.asOwner(STREAM.shard(), "INSERT INTO users VALUES (1, 1, 'a@x', 'a')");
      await().atMost(LIMIT).until(() -> heard.changes().size() == 1);
      cluster.shard(STREAM.shard()).kill();
      cluster.shard(STREAM.shard()).start();
      fixture.asOwner(STREAM.shard(), "INSERT INTO users VALUES (1, 2, 'b@x', 'b')");
      await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> heard.changes().stream().anyMatch(c -> email(c).equals("null>b@x")));
    }
  }

  /** Another server at the address, with a slot of the same name and changes of its own. */
  @Test
  void nothingOfAnotherServerIsBelievedOrAcknowledged() throws Exception {
    ShardId other = cluster.shards().get(1);
    String slot = slots.names().slot(STREAM);
    fixture.asOwner(
        other,
        "CREATE TABLE users (tenant_id bigint, user_id bigint, email text NOT NULL, name text)",
        "ALTER TABLE users REPLICA IDENTITY FULL");
    try (Connection admin = cluster.asSuperuser(other)) {
      StreamFixture.execute(
          admin,
          "CREATE PUBLICATION %s FOR TABLE users".formatted(slots.names().publication(STREAM)),
          "SELECT pg_create_logical_replication_slot('%s', 'pgoutput')".formatted(slot));
      fixture.asOwner(other, "INSERT INTO users VALUES (1, 1, 'wrong@x', 'a')");
      String confirmed = "SELECT confirmed_flush_lsn::text FROM pg_replication_slots";
      String before = one(admin, confirmed);
      AtomicInteger guards = new AtomicInteger();
      Collector heard = new Collector();
      try (ChangeStream stream =
          open(
              settings(cluster.shard(other).port(), SourceSettings.TRANSACTION_ROWS),
              heard,
              () -> {
                guards.incrementAndGet();
                return slots.guard(STREAM);
              })) {
        await().atMost(Duration.ofSeconds(60)).until(() -> guards.get() > 1);
      }
      assertThat(heard.changes()).isEmpty();
      assertThat(one(admin, confirmed)).isEqualTo(before);
    }
  }

  /** Its sessions are ended when another server has followed; the stream's is not among them. */
  @Test
  void aStreamEndsWithItsServersTime() throws Exception {
    AtomicInteger refused = new AtomicInteger();
    AtomicBoolean followed = new AtomicBoolean();
    List<Connection> sessions = new CopyOnWriteArrayList<>();
    Slots watched =
        new Slots(
            slots.names(),
            new StreamFixture(cluster) {
              @Override
              public Connection open(StreamName stream) throws SQLException {
                Connection connection = super.open(stream);
                sessions.add(connection);
                return connection;
              }
            });
    Collector heard = new Collector();
    try (ChangeStream stream =
        open(
            settings(cluster.shard(STREAM.shard()).port(), SourceSettings.TRANSACTION_ROWS),
            heard,
            () -> {
              if (followed.get()) {
                refused.incrementAndGet();
                throw new SQLException("no primary yet");
              }
              return watched.guard(STREAM);
            })) {
      fixture.asOwner(STREAM.shard(), "INSERT INTO users VALUES (1, 1, 'a@x', 'a')");
      await().atMost(LIMIT).until(() -> heard.changes().size() == 1);
      followed.set(true);
      sessions.get(sessions.size() - 1).abort(Runnable::run);
      fixture.asOwner(STREAM.shard(), "INSERT INTO users VALUES (1, 2, 'b@x', 'b')");
      await().atMost(Duration.ofSeconds(60)).until(() -> refused.get() > 0);
      assertThat(heard.changes()).hasSize(1);
      followed.set(false);
      await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> heard.changes().stream().anyMatch(c -> email(c).equals("null>b@x")));
    }
  }

  private static String one(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getString(1);
    }
  }

  private ChangeStream open(Collector listener, int transactionRows) {
    int port = cluster.shard(STREAM.shard()).port();
    return open(settings(port, transactionRows), listener, () -> slots.guard(STREAM));
  }

  private ChangeStream open(SourceSettings settings, Collector listener, SlotProbe probe) {
    ChangeStream stream = new DebeziumStream(() -> settings, store, STREAM, probe);
    stream.start(listener);
    return stream;
  }

  private SourceSettings settings(int port, int transactionRows) {
    return new SourceSettings(
        STREAM,
        "127.0.0.1",
        port,
        ShardCluster.DATABASE,
        ClusterRoles.SERVICE,
        "",
        "disable",
        slots.names().slot(STREAM),
        slots.names().publication(STREAM),
        Map.of(USERS, Map.of("tenant_id", KeyType.INT, "email", KeyType.TEXT)),
        transactionRows,
        Duration.ofMillis(300));
  }

  private void copy(int rows) throws Exception {
    StringBuilder lines = new StringBuilder();
    for (int i = 1; i <= rows; i++) {
      lines.append(i % 13).append('\t').append(i).append("\tc").append(i).append("@x\tn\n");
    }
    try (Connection connection = cluster.asOwner(STREAM.shard())) {
      connection
          .unwrap(org.postgresql.PGConnection.class)
          .getCopyAPI()
          .copyIn("COPY users FROM STDIN", new java.io.StringReader(lines.toString()));
    }
  }

  private boolean spoolIsEmpty() {
    List<byte[]> keys = new ArrayList<>();
    try (var cursor =
        store
            .table(
                org.pgconcord.state.store.StateTable.SPOOL,
                org.pgconcord.state.store.Codec.bytes(),
                org.pgconcord.state.store.Codec.bytes())
            .scan()) {
      cursor.forEachRemaining(entry -> keys.add(entry.getKey()));
    }
    return keys.isEmpty();
  }

  private Lsn confirmed() throws Exception {
    return slots.health(STREAM).map(SlotHealth::confirmed).orElseThrow();
  }

  private static String email(RowChange change) {
    return (change.before() == null ? "null" : change.before().value("email"))
        + ">"
        + (change.after() == null ? "null" : change.after().value("email"));
  }
}
