package org.pgconcord.testkit.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.atomic.AtomicTransaction;
import org.pgconcord.config.atomic.Decision;
import org.pgconcord.config.atomic.DecisionLog;
import org.pgconcord.config.atomic.GlobalId;
import org.pgconcord.config.atomic.Part;
import org.pgconcord.config.atomic.Participant;
import org.pgconcord.config.atomic.PreparedTransaction;
import org.pgconcord.config.atomic.PreparedTransactions;
import org.pgconcord.config.atomic.RouterPresence;
import org.pgconcord.config.catalog.Catalog;
import org.pgconcord.config.catalog.CatalogInstaller;
import org.pgconcord.config.settings.ShardConnections;
import org.pgconcord.testkit.cluster.ShardCluster;

/**
 * What the catalog remembers of transactions over several shards, and what servers hold of them.
 */
final class AtomicIT {
  private static final SecureRandom RANDOM = new SecureRandom();
  private static final String ROUTER = GlobalId.random(RANDOM);

  private static ShardCluster cluster;
  private static ShardConnections connections;
  private final String id = GlobalId.random(RANDOM);
  private DecisionLog log;
  private String clusterId;

  @BeforeAll
  static void start() {
    cluster = ShardCluster.start(1);
    connections = Shards.connections(cluster);
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  @BeforeEach
  void install() throws SQLException {
    try (Connection connection = open();
        Catalog catalog = new Catalog(AtomicIT::open)) {
      CatalogInstaller.installCatalog(connection);
      clusterId = catalog.load().clusterId();
    }
    log = new DecisionLog(AtomicIT::open);
  }

  @AfterEach
  void close() {
    log.close();
  }

  private static Connection open() {
    return connections.open(Shards.A, "app");
  }

  private Participant participant(Part part, String role) {
    return new Participant(new GlobalId(clusterId, ROUTER, id, part, Shards.A), "app", role);
  }

  // --- the decision ----------------------------------------------------------------------------

  @Test
  void theFirstToInsertDecides() {
    log.register(id, ROUTER, List.of(participant(Part.MAIN, "demo")));
    assertThat(log.decision(id)).isEmpty();
    assertThat(log.decide(id, Decision.ABORT, "resolver")).isTrue();
    assertThat(log.decide(id, Decision.COMMIT, "router")).isFalse();
    assertThat(log.decision(id)).contains(Decision.ABORT);
    assertThat(log.settle(id, "router")).isEqualTo(Decision.ABORT);
  }

  @Test
  void whoWaitedForTheFirstDoesNotDecideEither() throws Exception {
    log.register(id, ROUTER, List.of());
    try (Connection slow = open();
        Statement statement = slow.createStatement()) {
      slow.setAutoCommit(false);
      statement.execute(
          "INSERT INTO pgconcord.decision VALUES ('" + id + "', 'abort', 'resolver')");
      CompletableFuture<Boolean> second =
          CompletableFuture.supplyAsync(() -> log.decide(id, Decision.COMMIT, "router"));
      awaitBlocked();
      slow.commit();
      assertThat(second.join()).isFalse();
    }
  }

  @Test
  void aForgottenTransactionCannotBeDecided() {
    log.register(id, ROUTER, List.of(participant(Part.MAIN, "demo")));
    log.decide(id, Decision.ABORT, "resolver");
    log.forget(List.of(id));
    assertThat(log.find(id)).isEmpty();
    assertThat(log.decide(id, Decision.COMMIT, "router")).isFalse();
    assertThat(log.settle(id, "router")).isEqualTo(Decision.ABORT);
  }

  /** The hard case of the class comment: the insert has begun when the rows go. */
  @Test
  void aDecisionThatWaitedForTheForgettingInsertsNothing() throws Exception {
    log.register(id, ROUTER, List.of());
    log.decide(id, Decision.ABORT, "resolver");
    try (Connection slow = open();
        Statement statement = slow.createStatement()) {
      slow.setAutoCommit(false);
      statement.execute("DELETE FROM pgconcord.decision WHERE transaction = '" + id + "'");
      statement.execute("DELETE FROM pgconcord.atomic_transaction WHERE id = '" + id + "'");
      CompletableFuture<Boolean> late =
          CompletableFuture.supplyAsync(() -> log.decide(id, Decision.COMMIT, "router"));
      awaitBlocked();
      slow.commit();
      assertThat(late.join()).isFalse();
    }
    assertThat(log.decision(id)).isEmpty();
  }

  @Test
  void whereNoRowIsFoundAfterALostAnswerAbortIsInserted() {
    log.register(id, ROUTER, List.of());
    assertThat(log.settle(id, "router")).isEqualTo(Decision.ABORT);
    assertThat(log.decide(id, Decision.COMMIT, "router")).isFalse();
  }

  @Test
  void anIdIsRegisteredOnce() {
    log.register(id, ROUTER, List.of());
    assertThatThrownBy(() -> log.register(id, ROUTER, List.of()))
        .hasMessageContaining("the catalog did not answer");
  }

  // --- what is remembered ----------------------------------------------------------------------

  @Test
  void itIsReadBackAsRegistered() {
    List<Participant> participants =
        List.of(participant(Part.MAIN, "demo"), participant(Part.PRE, "pg \"concord\""));
    log.register(id, ROUTER, participants);
    AtomicTransaction open = log.find(id).orElseThrow();
    assertThat(open.participants()).containsExactlyInAnyOrderElementsOf(participants);
    assertThat(open.router()).isEqualTo(ROUTER);
    assertThat(open.age()).isBetween(Duration.ZERO, Duration.ofMinutes(1));
    assertThat(open.decided()).isEmpty();
    assertThat(log.open()).extracting(AtomicTransaction::id).contains(id);
    log.decide(id, Decision.COMMIT, "router");
    log.finish(List.of(id));
    assertThat(log.open()).extracting(AtomicTransaction::id).doesNotContain(id);
    AtomicTransaction finished = log.find(id).orElseThrow();
    assertThat(finished.decided().orElseThrow().decision()).isEqualTo(Decision.COMMIT);
    assertThat(finished.finished()).isPresent();
  }

  @Test
  void aRouterIsAliveAsLongAsItsSessionIs() throws SQLException {
    try (DecisionLog routers = new DecisionLog(RouterPresence.shown(ROUTER, AtomicIT::open))) {
      routers.register(id, ROUTER, List.of());
      assertThat(log.find(id).orElseThrow().routerAlive()).isTrue();
      try (Connection admin = cluster.asSuperuser(Shards.A)) {
        Shards.run(
            admin,
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_locks"
                + " WHERE locktype = 'advisory' AND mode = 'ShareLock'");
      }
      assertThat(log.find(id).orElseThrow().routerAlive()).isFalse();
      // The server has forgotten the session; its next transaction does not suffer for it.
      String next = id.substring(1) + (id.startsWith("0") ? "1" : "0");
      routers.register(next, ROUTER, List.of());
      assertThat(log.find(next).orElseThrow().routerAlive()).isTrue();
      routers.decide(next, Decision.ABORT, "router");
      routers.finish(List.of(next));
    }
  }

  // --- what a server holds ---------------------------------------------------------------------

  @Test
  void oneIsEndedAsTheRoleThatPreparedIt() throws SQLException {
    try (Connection admin = cluster.asSuperuser(Shards.A)) {
      Shards.run(
          admin, "DROP TABLE IF EXISTS t", "CREATE TABLE t (v int)", "GRANT ALL ON t TO demo");
    }
    GlobalId gid = participant(Part.MAIN, "demo").gid();
    prepare(gid, "INSERT INTO t VALUES (1)");
    try (Connection service = open()) {
      PreparedTransaction seen = seen(service, gid).orElseThrow();
      assertThat(seen.owner()).contains("demo");
      assertThat(seen.database()).isEqualTo("app");
      // Membership alone is refused: the reason for SET ROLE.
      assertThatThrownBy(() -> Shards.run(service, "COMMIT PREPARED '" + gid + "'"))
          .hasMessageContaining("permission denied");
      assertThat(PreparedTransactions.end(service, gid, "demo", Decision.COMMIT))
          .isEqualTo(PreparedTransactions.Answer.ENDED);
      assertThat(PreparedTransactions.end(service, gid, "demo", Decision.COMMIT))
          .isEqualTo(PreparedTransactions.Answer.ABSENT);
      assertThat(Shards.ask(service, "SELECT current_user")).isEqualTo("pgconcord");
      assertThat(seen(service, gid)).isEmpty();
      assertThat(PreparedTransactions.limit(service)).isPositive();
    }
    try (Connection owner = cluster.asOwner(Shards.A)) {
      assertThat(Shards.ask(owner, "SELECT count(*) FROM t")).isEqualTo("1");
    }
  }

  @Test
  void aRoleThatTheServiceRoleCannotBecomeIsRefused() throws SQLException {
    try (Connection admin = cluster.asSuperuser(Shards.A)) {
      Shards.run(admin, "CREATE ROLE stranger LOGIN");
      GlobalId gid = participant(Part.POST, "stranger").gid();
      try (Connection stranger = cluster.connect(Shards.A, "stranger", "app")) {
        Shards.run(stranger, "BEGIN", "SELECT 1", "PREPARE TRANSACTION '" + gid + "'");
      }
      try (Connection service = open()) {
        assertThatThrownBy(() -> PreparedTransactions.end(service, gid, "stranger", Decision.ABORT))
            .hasMessageContaining("permission denied");
      }
      Shards.run(admin, "ROLLBACK PREPARED '" + gid + "'", "DROP ROLE stranger");
    }
  }

  @Test
  void preparedTransactionsOfOthersAreNotSeen() throws SQLException {
    try (Connection owner = cluster.asOwner(Shards.A);
        Connection service = open()) {
      Shards.run(owner, "BEGIN", "SELECT 1", "PREPARE TRANSACTION 'pgconcord_but_not_ours'");
      assertThat(PreparedTransactions.seen(service)).isEmpty();
      Shards.run(owner, "ROLLBACK PREPARED 'pgconcord_but_not_ours'");
    }
  }

  // --- the format ------------------------------------------------------------------------------

  @Test
  void aCatalogOfTheFormerFormatIsBroughtUpToDate() throws SQLException {
    try (Connection connection = open()) {
      Shards.run(
          connection,
          "DROP TABLE pgconcord.prepared, pgconcord.decision, pgconcord.atomic_transaction",
          "UPDATE pgconcord.cluster SET format = 1");
      CatalogInstaller.installCatalog(connection);
      assertThat(Shards.ask(connection, "SELECT format FROM pgconcord.cluster")).isEqualTo("5");
    }
    log.register(id, ROUTER, List.of());
    assertThat(log.find(id)).isPresent();
  }

  @Test
  void aCatalogOfFormat2LearnsOfLeaders() throws SQLException {
    try (Connection connection = open()) {
      Shards.run(
          connection,
          "ALTER TABLE pgconcord.prepared DROP CONSTRAINT prepared_part_check, ADD CONSTRAINT"
              + " prepared_part_check CHECK (part IN ('pre', 'main', 'post'))",
          "UPDATE pgconcord.cluster SET format = 2");
      CatalogInstaller.installCatalog(connection);
    }
    log.register(id, ROUTER, List.of(participant(Part.LEAD, "demo")));
    assertThat(log.find(id).orElseThrow().participants())
        .containsExactly(participant(Part.LEAD, "demo"));
  }

  // --- tools -----------------------------------------------------------------------------------

  private static Optional<PreparedTransaction> seen(Connection service, GlobalId gid)
      throws SQLException {
    return PreparedTransactions.seen(service).stream()
        .filter(prepared -> prepared.gid().equals(gid))
        .findFirst();
  }

  private static void prepare(GlobalId gid, String statement) throws SQLException {
    try (Connection owner = cluster.asOwner(Shards.A)) {
      Shards.run(owner, "BEGIN", statement, "PREPARE TRANSACTION '" + gid + "'");
    }
  }

  private static void awaitBlocked() throws SQLException {
    try (Connection admin = cluster.asSuperuser(Shards.A)) {
      Awaitility.await()
          .until(
              () ->
                  Shards.ask(admin, "SELECT count(*) FROM pg_locks WHERE NOT granted").equals("1"));
    }
  }
}
