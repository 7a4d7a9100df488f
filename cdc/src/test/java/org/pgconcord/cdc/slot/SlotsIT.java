package org.pgconcord.cdc.slot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.pgconcord.cdc.StreamFixture;
import org.pgconcord.cdc.change.StreamName;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;
import org.pgconcord.testkit.cluster.ShardCluster;

/** Slots and publications of one server, as a role that is no superuser. */
class SlotsIT {
  private static final StreamName STREAM = new StreamName("app", new ShardId("shard-a"));
  private static final TableName USERS = new TableName("public", "users");
  private static final List<String> NEEDED = List.of("tenant_id", "email");
  private static ShardCluster cluster;
  private static StreamFixture fixture;
  private final SlotNames names = new SlotNames("cafe00000001");
  private Slots slots;
  private Publications publications;

  @BeforeAll
  static void startServer() {
    cluster = ShardCluster.start(1);
    fixture = new StreamFixture(cluster);
  }

  @AfterAll
  static void stopServer() {
    cluster.close();
  }

  @BeforeEach
  void prepare() throws Exception {
    slots = new Slots(names, fixture);
    publications = slots.publications();
    publications.drop(STREAM);
    slots.drop(STREAM);
    fixture.asOwner(
        STREAM.shard(),
        "DROP TABLE IF EXISTS users",
        "CREATE TABLE users (tenant_id bigint, user_id bigint, email text NOT NULL,"
            + " PRIMARY KEY (tenant_id, user_id), UNIQUE (tenant_id, email))");
  }

  @Test
  @SuppressWarnings("try") // closing it early is the point
  void theExportedSnapshotIsTheStateAtTheConsistentPointWhileItIsHeld() throws Exception {
    fixture.asOwner(STREAM.shard(), "INSERT INTO users VALUES (1, 1, 'before')");
    try (HeldSnapshot snapshot = slots.create(STREAM);
        Connection worker = fixture.open(STREAM)) {
      fixture.asOwner(STREAM.shard(), "INSERT INTO users VALUES (1, 2, 'after')");
      assertThat(snapshot.isAlive(worker)).isTrue();
      worker.setAutoCommit(false);
      StreamFixture.execute(
          worker,
          "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ",
          "SET TRANSACTION SNAPSHOT '" + snapshot.snapshotName() + "'");
      assertThat(one(worker, "SELECT string_agg(email, ',') FROM users")).isEqualTo("before");
      worker.rollback();
      snapshot.close();
      worker.setAutoCommit(true);
      assertThat(snapshot.isAlive(worker)).isFalse();
    }
    SlotHealth health = slots.health(STREAM).orElseThrow();
    assertThat(health.active()).isFalse();
    assertThat(health.isLost()).isFalse();
    assertThat(health.retainedBytes()).isGreaterThanOrEqualTo(health.lagBytes());
  }

  @Test
  void aSlotIsMadeForFailoverWhereTheServerKnowsThat() throws Exception {
    slots.create(STREAM).close();
    try (Connection connection = fixture.open(STREAM)) {
      assertThat(one(connection, "SELECT failover FROM pg_replication_slots")).isEqualTo("t");
    }
  }

  @Test
  void aMissingSlotIsLost() {
    assertThat(refusal(() -> slots.guard(STREAM))).isEqualTo(ErrorCode.SLOT_LOST);
  }

  @Test
  void leftoversOfThisClusterAreDroppedAndOthersAreNot() throws Exception {
    StreamName gone = new StreamName("gone", STREAM.shard());
    String orphan = names.slot(gone);
    String foreign = new SlotNames("beef00000002").slot(STREAM);
    try (Connection connection = fixture.open(STREAM)) {
      for (String slot : List.of(orphan, foreign)) {
        StreamFixture.execute(
            connection, "SELECT pg_create_logical_replication_slot('" + slot + "', 'pgoutput')");
      }
      slots.create(STREAM).close();
      assertThat(slots.dropOrphans(STREAM, List.of(STREAM))).containsExactly(orphan);
      assertThat(slots.health(STREAM)).isPresent();
      StreamFixture.execute(connection, "SELECT pg_drop_replication_slot('" + foreign + "')");
    }
  }

  @Test
  void transactionsThatHoldTheCreationUpAreListed() throws Exception {
    try (Connection open = cluster.asOwner(STREAM.shard())) {
      open.setAutoCommit(false);
      StreamFixture.execute(open, "INSERT INTO users VALUES (1, 1, 'x')");
      assertThat(slots.blockers(STREAM))
          .extracting(blocker -> blocker.role() + " " + blocker.state())
          .containsExactly("demo idle in transaction");
      open.rollback();
    }
    assertThat(slots.blockers(STREAM)).isEmpty();
  }

  @Test
  void aTableWhoseIdentityTellsTooLittleIsNotPublished() throws Exception {
    assertThat(refusal(() -> publications.publish(STREAM, USERS, NEEDED)))
        .isEqualTo(ErrorCode.REPLICA_IDENTITY);
    assertThat(publications.published(STREAM)).isEmpty();
    fixture.asOwner(
        STREAM.shard(),
        "UPDATE users SET email = 'the application goes on'",
        "ALTER TABLE users REPLICA IDENTITY USING INDEX users_tenant_id_email_key");
    publications.publish(STREAM, USERS, NEEDED);
    publications.publish(STREAM, USERS, NEEDED);
    assertThat(publications.published(STREAM)).containsExactly(USERS);
    assertThat(publications.problem(STREAM, USERS, NEEDED)).isEmpty();
  }

  @Test
  void anAlterAfterwardsIsNoticed() throws Exception {
    fixture.asOwner(STREAM.shard(), "ALTER TABLE users REPLICA IDENTITY FULL");
    publications.publish(STREAM, USERS, NEEDED);
    fixture.asOwner(STREAM.shard(), "ALTER TABLE users REPLICA IDENTITY DEFAULT");
    assertThat(publications.problem(STREAM, USERS, NEEDED))
        .hasValueSatisfying(p -> assertThat(p.code()).isEqualTo(ErrorCode.REPLICA_IDENTITY));
    publications.drop(STREAM);
    assertThat(publications.problem(STREAM, USERS, NEEDED)).isPresent();
  }

  @Test
  void aPartitionedTableNeedsTheIdentityOnEveryPartition() throws Exception {
    TableName parted = new TableName("public", "parted");
    fixture.asOwner(
        STREAM.shard(),
        "DROP TABLE IF EXISTS parted",
        "CREATE TABLE parted (tenant_id bigint, email text) PARTITION BY LIST (tenant_id)",
        "CREATE TABLE parted_1 PARTITION OF parted FOR VALUES IN (1)",
        "CREATE TABLE parted_2 PARTITION OF parted FOR VALUES IN (2)",
        "ALTER TABLE parted_1 REPLICA IDENTITY FULL");
    assertThat(refusal(() -> publications.publish(STREAM, parted, NEEDED)))
        .isEqualTo(ErrorCode.REPLICA_IDENTITY);
    fixture.asOwner(STREAM.shard(), "ALTER TABLE parted_2 REPLICA IDENTITY FULL");
    publications.publish(STREAM, parted, NEEDED);
    assertThat(publications.published(STREAM)).containsExactly(parted);
  }

  private interface Attempt {
    void run() throws SQLException;
  }

  private static ErrorCode refusal(Attempt attempt) {
    ErrorCode[] code = new ErrorCode[1];
    assertThatThrownBy(attempt::run)
        .asInstanceOf(InstanceOfAssertFactories.type(ConcordException.class))
        .satisfies(e -> code[0] = e.code());
    return code[0];
  }

  private static String one(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getString(1);
    }
  }
}
