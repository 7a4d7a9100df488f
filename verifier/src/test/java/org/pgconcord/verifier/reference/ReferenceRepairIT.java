package org.pgconcord.verifier.reference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.sharding.LeaderLock;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;
import org.pgconcord.testkit.cluster.ShardCluster;
import org.pgconcord.verifier.VerifyOptions;

class ReferenceRepairIT {
  private static final TableName RATES = new TableName("public", "rates");

  private static ShardCluster cluster;
  private static ExecutorService threads;
  private static List<ShardId> shards;

  @BeforeAll
  static void start() {
    cluster = ShardCluster.start(3);
    threads = Executors.newCachedThreadPool();
    shards = cluster.shards();
  }

  @AfterAll
  static void stop() {
    threads.shutdownNow();
    cluster.close();
  }

  @BeforeEach
  void equalCopies() throws SQLException {
    for (ShardId shard : shards) {
      on(
          shard,
          "DROP TABLE IF EXISTS debts, rates",
          "CREATE TABLE rates (code char(3), day date, id bigint GENERATED ALWAYS AS IDENTITY, rate"
              + " numeric UNIQUE, note text, twice numeric GENERATED ALWAYS AS (rate * 2) STORED,"
              + " PRIMARY KEY (code, day))",
          "INSERT INTO rates (code, day, rate, note) SELECT chr(65 + n % 26), '2020-01-01'::date +"
              + " n, n / 8.0, CASE WHEN n % 3 > 0 THEN 'n' || n END FROM generate_series(0, 1999)"
              + " n");
    }
  }

  @Test
  void everyKindOfDifferenceIsRepairedOnEveryCopy() throws Exception {
    on(
        shards.get(1),
        "UPDATE rates SET note = '' WHERE day = '2020-01-02'",
        "UPDATE rates SET note = NULL WHERE day = '2020-01-03'",
        "DELETE FROM rates WHERE day BETWEEN '2021-01-01' AND '2023-12-31'",
        // Takes the number of a row that has to be inserted again.
        "INSERT INTO rates (code, day, rate) VALUES ('ZZZ', '1999-12-31', 366 / 8.0)");
    on(shards.get(2), "TRUNCATE rates");

    RepairReport listed = repair(shards.get(0), true);
    assertThat(verify().clean()).as("a dry run changes nothing").isFalse();
    RepairReport report = repair(shards.get(0), false);

    assertThat(listed.copies()).isEqualTo(report.copies());
    assertThat(report.changed()).isTrue();
    assertThat(report.copies().get(0).source()).isTrue();
    assertThat(report.copies().get(1))
        .extracting(CopyRepair::inserted, CopyRepair::updated, CopyRepair::deleted)
        .containsExactly(1095L, 2L, 1L);
    assertThat(report.copies().get(2).inserted()).isEqualTo(2000);
    assertThat(report.copies().get(1).samples())
        .contains(
            new RowDifference(
                RowDifference.Kind.DIFFERENT, List.of("B  ", "2020-01-02"), List.of("note")),
            new RowDifference(RowDifference.Kind.SURPLUS, List.of("ZZZ", "1999-12-31"), List.of()));
    assertThat(verify().clean()).as("%s", verify()).isTrue();
    assertThat(repair(shards.get(0), false).changed()).isFalse();
  }

  @Test
  void anotherSourceRulesOverTheLeader() throws Exception {
    on(shards.get(0), "DELETE FROM rates WHERE day = '2020-01-02'");

    repair(shards.get(2), false);

    assertThat(verify().clean()).isTrue();
    assertThat(count(shards.get(0))).isEqualTo(2000);
  }

  @Test
  void rowsThatAForeignKeyWouldFollowAreNotDeleted() throws Exception {
    on(
        shards.get(1),
        "CREATE TABLE debts (code char(3), day date, FOREIGN KEY (code, day) REFERENCES rates ON"
            + " DELETE CASCADE)",
        "INSERT INTO rates (code, day, rate) VALUES ('ZZZ', '1999-12-31', -1)",
        "UPDATE rates SET note = 'x' WHERE day = '2020-01-02'",
        "INSERT INTO debts VALUES ('ZZZ', '1999-12-31')");

    assertThatThrownBy(() -> repair(shards.get(0), false))
        .isInstanceOf(ConcordException.class)
        .hasMessageContaining("debts_code_day_fkey")
        .extracting(e -> ((ConcordException) e).code())
        .isEqualTo(ErrorCode.REFERENCE_REPAIR_CASCADES);
    on(shards.get(1), "DELETE FROM debts", "DELETE FROM rates WHERE code = 'ZZZ'");
    assertThat(repair(shards.get(0), false).copies().get(1).updated()).isEqualTo(1);
  }

  @Test
  void aTriggerThatKeepsACopyDifferentIsAnErrorAndNothingStays() throws Exception {
    on(
        shards.get(1),
        "CREATE OR REPLACE FUNCTION other() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.note ="
            + " 'mine'; RETURN NEW; END $$",
        "DELETE FROM rates WHERE day = '2020-01-02'",
        "CREATE TRIGGER other BEFORE INSERT ON rates FOR EACH ROW EXECUTE FUNCTION other()");

    assertThatThrownBy(() -> repair(shards.get(0), false))
        .isInstanceOf(ConcordException.class)
        .hasMessageContaining("a trigger or rule changes them");
    assertThat(count(shards.get(1))).isEqualTo(1999);
  }

  @Test
  void aWriterIsWaitedForAndNoneIsAtWorkWhenTheResultIsTold() throws Exception {
    try (Connection writer = cluster.asOwner(shards.get(0))) {
      writer.setAutoCommit(false);
      run(writer, "SELECT pg_advisory_xact_lock(%d)".formatted(LeaderLock.of("app", RATES)));
      run(writer, "DELETE FROM rates WHERE day = '2020-01-05'");
      AtomicReference<Boolean> told = new AtomicReference<>();
      CompletableFuture<ReferenceReport> locked =
          CompletableFuture.supplyAsync(() -> locked(told), threads);
      on(shards.get(1), "DELETE FROM rates WHERE day = '2020-01-05'");
      on(shards.get(2), "DELETE FROM rates WHERE day = '2020-01-05'");
      assertThat(told.get()).isNull();
      writer.commit();

      assertThat(locked.join().clean()).isTrue();
      assertThat(told.get()).isTrue();
    }
  }

  private static ReferenceReport locked(AtomicReference<Boolean> told) {
    try {
      return verifier()
          .verifyLocked(
              "app",
              RATES,
              shards,
              1,
              report -> told.set(report.clean() && !canBeWritten(shards.get(2))));
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static boolean canBeWritten(ShardId shard) {
    try {
      on(shard, "SET lock_timeout = 100", "DELETE FROM rates WHERE day = '1900-01-01'");
      return true;
    } catch (SQLException e) {
      return false;
    }
  }

  private static RepairReport repair(ShardId source, boolean dryRun) {
    return new ReferenceRepair(cluster::asService)
        .repair("app", RATES, shards, source, dryRun, () -> {});
  }

  private static ReferenceVerifier verifier() {
    return new ReferenceVerifier(
        cluster::asService,
        threads,
        Clock.systemUTC(),
        new SecureRandom(),
        VerifyOptions.defaults());
  }

  private static ReferenceReport verify() throws InterruptedException {
    return verifier().verify("app", RATES, shards, 7);
  }

  private static long count(ShardId shard) throws SQLException {
    try (Connection owner = cluster.asOwner(shard);
        Statement statement = owner.createStatement();
        ResultSet row = statement.executeQuery("SELECT count(*) FROM rates")) {
      row.next();
      return row.getLong(1);
    }
  }

  private static void on(ShardId shard, String... statements) throws SQLException {
    try (Connection owner = cluster.asOwner(shard)) {
      for (String each : statements) {
        run(owner, each);
      }
    }
  }

  private static void run(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
