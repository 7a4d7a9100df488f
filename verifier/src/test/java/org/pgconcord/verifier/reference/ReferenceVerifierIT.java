package org.pgconcord.verifier.reference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;
import org.pgconcord.testkit.cluster.ShardCluster;
import org.pgconcord.verifier.VerifyOptions;
import org.pgconcord.verifier.reference.RowDifference.Kind;

class ReferenceVerifierIT {
  private static final TableName RATES = new TableName("public", "rates");
  private static final VerifyOptions OPTIONS =
      new VerifyOptions(
          Duration.ofSeconds(20), Duration.ofMillis(300), 6, Duration.ofMillis(50), 20);

  private static ShardCluster cluster;
  private static ExecutorService threads;
  private static ShardId a;
  private static ShardId b;

  @BeforeAll
  static void start() {
    cluster = ShardCluster.start(2);
    threads = Executors.newCachedThreadPool();
    a = cluster.shards().get(0);
    b = cluster.shards().get(1);
  }

  @AfterAll
  static void stop() {
    threads.shutdownNow();
    cluster.close();
  }

  @BeforeEach
  void equalCopies() throws SQLException {
    for (ShardId shard : cluster.shards()) {
      on(
          shard,
          "DROP TABLE IF EXISTS rates",
          "CREATE TABLE rates (code char(2), day date, rate numeric, note text, PRIMARY KEY (code,"
              + " day))",
          "INSERT INTO rates SELECT chr(65 + n % 26) || chr(65 + n / 26 % 26), '2020-01-01'::date +"
              + " n, n / 8.0, CASE WHEN n % 3 > 0 THEN 'n' || n END FROM generate_series(0, 4999)"
              + " n");
    }
  }

  @Test
  void equalCopiesAreClean() throws Exception {
    ReferenceReport report = verify();

    assertThat(report.clean()).as("%s", report).isTrue();
    assertThat(report.copies()).extracting(CopyReport::rows).containsExactly(5000L, 5000L);
    assertThat(ReferenceReport.ofJson(report.toJson())).isEqualTo(report);
  }

  @Test
  void eachPlantedDifferenceIsNamedWithWhatDiffers() throws Exception {
    on(
        b,
        "UPDATE rates SET rate = 0.1250, note = '' WHERE day = '2020-01-02'",
        "UPDATE rates SET rate = rate WHERE day = '2020-02-02'",
        "DELETE FROM rates WHERE day = '2020-01-03'",
        "INSERT INTO rates VALUES ('ZZ', '1999-12-31', 1, NULL)");

    ReferenceReport report = verify();

    assertThat(report.clean()).isFalse();
    assertThat(report.leader()).isEqualTo(a.uid());
    CopyReport copy = report.copies().get(1);
    assertThat(copy.shard()).isEqualTo(b.uid());
    assertThat(copy.missing()).isEqualTo(1);
    assertThat(copy.surplus()).isEqualTo(1);
    assertThat(copy.different()).isEqualTo(1);
    assertThat(copy.samples())
        .containsExactlyInAnyOrder(
            new RowDifference(Kind.MISSING, List.of("CA", "2020-01-03"), List.of()),
            new RowDifference(Kind.SURPLUS, List.of("ZZ", "1999-12-31"), List.of()),
            new RowDifference(
                Kind.DIFFERENT, List.of("BA", "2020-01-02"), List.of("rate", "note")));
    assertThat(ReferenceReport.ofJson(report.toJson())).isEqualTo(report);
  }

  @Test
  void nullAndEmptyTextAreNotTheSame() throws Exception {
    on(b, "UPDATE rates SET note = '' WHERE note IS NULL AND day = '2020-01-01'");

    assertThat(verify().copies().get(1).samples())
        .containsExactly(
            new RowDifference(Kind.DIFFERENT, List.of("AA", "2020-01-01"), List.of("note")));
  }

  @Test
  void aWriterAtWorkIsNoDifferenceAndAPlantedOneIsFoundAllTheSame() throws Exception {
    AtomicBoolean stop = new AtomicBoolean();
    AtomicLong written = new AtomicLong();
    CompletableFuture<Void> writer =
        CompletableFuture.runAsync(() -> write(stop, written), threads);
    for (int i = 0; i < 5; i++) {
      ReferenceReport report = verify();
      assertThat(report.clean()).as("%s", report).isTrue();
    }
    on(b, "DELETE FROM rates WHERE day = '2020-01-05'");
    ReferenceReport planted = verify();
    stop.set(true);
    writer.join();

    assertThat(planted.copies().get(1).missing()).as("%s", planted).isEqualTo(1);
    assertThat(planted.copies().get(1).different()).isZero();
    assertThat(planted.copies().get(1).surplus()).isZero();
    assertThat(written.get()).isPositive();
  }

  /** Writes as a router does: the other copy first, the leader commits last. */
  private static void write(AtomicBoolean stop, AtomicLong written) {
    try (Connection leader = cluster.asService(a);
        Connection other = cluster.asService(b)) {
      for (int i = 1; !stop.get(); i++) {
        String change =
            switch (i % 3) {
              case 0 ->
                  "UPDATE rates SET rate = rate + 1 WHERE day = '2020-03-01'::date + " + i % 50;
              case 1 -> "INSERT INTO rates VALUES ('XX', '2050-01-01'::date + " + i + ", 1, 'x')";
              default -> "DELETE FROM rates WHERE day = '2050-01-01'::date + " + (i - 1);
            };
        run(leader, "BEGIN", change);
        run(other, "BEGIN", change, "COMMIT");
        run(leader, "COMMIT");
        written.incrementAndGet();
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void aTableWithoutAKeyIsComparedByWholeRows() throws Exception {
    for (ShardId shard : cluster.shards()) {
      on(
          shard,
          "DROP TABLE rates",
          "CREATE TABLE rates (x int)",
          "INSERT INTO rates VALUES (1), (1)");
    }
    assertThat(verify().clean()).isTrue();

    on(b, "INSERT INTO rates VALUES (1)", "INSERT INTO rates VALUES (2)");

    assertThat(verify().copies().get(1).samples())
        .containsExactlyInAnyOrder(
            new RowDifference(Kind.DIFFERENT, List.of("1"), List.of()),
            new RowDifference(Kind.SURPLUS, List.of("2"), List.of()));
  }

  @Test
  void otherColumnsAreAnErrorThatNamesTheShard() throws Exception {
    on(b, "ALTER TABLE rates ADD COLUMN more int");

    assertThatThrownBy(ReferenceVerifierIT::verify)
        .isInstanceOf(ConcordException.class)
        .hasMessageContaining("shard-b");
  }

  private static ReferenceReport verify() throws InterruptedException {
    return new ReferenceVerifier(
            cluster::asService, threads, Clock.systemUTC(), new SecureRandom(), OPTIONS)
        .verify("app", RATES, List.of(b, a), 7);
  }

  private static void on(ShardId shard, String... statements) throws SQLException {
    try (Connection owner = cluster.asOwner(shard)) {
      run(owner, statements);
    }
  }

  private static void run(Connection connection, String... statements) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String each : statements) {
        statement.execute(each);
      }
    }
  }
}
