package org.pgconcord.daemon.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.security.SecureRandom;
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
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.pgconcord.config.atomic.Decision;
import org.pgconcord.config.atomic.DecisionLog;
import org.pgconcord.config.atomic.GlobalId;
import org.pgconcord.config.atomic.Part;
import org.pgconcord.config.atomic.Participant;
import org.pgconcord.config.atomic.Resolution;
import org.pgconcord.config.atomic.RouterPresence;
import org.pgconcord.config.settings.DaemonSettings;
import org.pgconcord.config.settings.Overrides;
import org.pgconcord.config.settings.SettingsReader;
import org.pgconcord.config.settings.ShardConnections;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.daemon.cli.PgConcord;
import org.pgconcord.daemon.transactions.Resolver;

/**
 * What routers leave behind, made by hand: registered transactions, prepared parts, decisions. A
 * daemon that starts ends them; people list and end the others.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TransactionsIT {
  private static final SecureRandom RANDOM = new SecureRandom();
  private static final ShardId A = new ShardId("shard-a");
  private static final ShardId B = new ShardId("shard-b");

  private final String router = GlobalId.random(RANDOM);
  private SampleSystem system;
  private DecisionLog log;
  private String cluster;

  @BeforeAll
  void start() throws Exception {
    system = SampleSystem.start(10, 1);
    system.startDaemon().close();
    log = new DecisionLog(this::home);
    try (Connection home = home()) {
      cluster = ask(home, "SELECT id FROM pgconcord.cluster");
    }
    for (ShardId shard : List.of(A, B)) {
      try (Connection owner = system.cluster().asOwner(shard)) {
        run(owner, "CREATE TABLE left_behind (transaction text, part text)");
      }
    }
  }

  @AfterAll
  void stop() {
    log.close();
    system.close();
  }

  // --- at the start of a daemon ----------------------------------------------------------------

  @Test
  void aDaemonEndsWhatADeadRouterLeft() throws Exception {
    List<Participant> undecided = four(cluster);
    List<Participant> committed = four(cluster);
    List<Participant> aborted = four(cluster);
    for (List<Participant> each : List.of(undecided, committed, aborted)) {
      log.register(id(each), router, each);
      prepare(each);
    }
    log.decide(id(committed), Decision.COMMIT, "router");
    log.decide(id(aborted), Decision.ABORT, "router");
    // The router had begun to commit when it died.
    try (Connection owner = system.cluster().asOwner(A)) {
      run(owner, "COMMIT PREPARED '" + committed.get(0).gid() + "'");
    }
    try (DaemonProcess daemon = system.startDaemon()) {
      awaitNothingPrepared();
      assertThat(daemon.log())
          .contains("transaction settled transaction=" + id(committed) + " decision=commit")
          .contains("transaction settled transaction=" + id(undecided) + " decision=abort");
    }
    assertThat(parts(id(committed))).containsExactlyInAnyOrder("pre", "main", "main", "post");
    assertThat(parts(id(undecided))).isEmpty();
    assertThat(parts(id(aborted))).isEmpty();
    assertThat(log.open()).isEmpty();
  }

  @Test
  void aLivingRoutersTransactionIsLeftToIt() throws Exception {
    List<Participant> participants = four(cluster);
    try (DaemonProcess daemon = system.startDaemon();
        DecisionLog alive = new DecisionLog(RouterPresence.shown(router, this::home))) {
      alive.register(id(participants), router, participants);
      prepare(participants.subList(1, 4));
      JsonNode listed = listed(daemon, id(participants));
      assertThat(listed.path("known").asBoolean()).isTrue();
      assertThat(listed.path("router_alive").asBoolean()).isTrue();
      assertThat(listed.path("decision").isNull()).isTrue();
      assertThat(listed.path("participants").findValuesAsText("state"))
          .containsExactly("not_prepared", "prepared", "prepared", "prepared");
      // A person may decide for it, but not to commit what is not all there.
      assertThat(resolve(id(participants), "--commit")).isEqualTo(4);
      prepare(participants.subList(0, 1));
      assertThat(resolve(id(participants), "--commit")).isZero();
      assertThat(alive.decide(id(participants), Decision.ABORT, "router")).isFalse();
      assertThat(resolve(id(participants), "--abort")).isEqualTo(4);
      assertThat(resolve(id(participants))).isZero();
    }
    assertThat(parts(id(participants))).hasSize(4);
    awaitNothingPrepared();
  }

  // --- what the catalog does not know ----------------------------------------------------------

  @Test
  void whatTheCatalogDoesNotKnowIsReportedAndWaitsForAPerson() throws Exception {
    List<Participant> unknown = four(cluster);
    prepare(unknown);
    try (DaemonProcess daemon = system.startDaemon()) {
      await()
          .atMost(Duration.ofSeconds(20))
          .until(() -> daemon.log().contains("does not know gid=" + unknown.get(0).gid()));
      assertThat(listed(daemon, id(unknown)).path("known").asBoolean()).isFalse();
      assertThat(resolve(id(unknown))).isEqualTo(4);
      assertThat(parts(id(unknown))).isEmpty();
      assertThat(resolve(unknown.get(2).gid().toString(), "--commit")).isZero();
      assertThat(resolve(id(unknown), "--commit")).isEqualTo(1);
    }
    assertThat(parts(id(unknown))).hasSize(4);
  }

  @Test
  void anotherClustersTransactionIsNeverTouched() throws Exception {
    List<Participant> foreign = four("0123456789ab").subList(0, 1);
    prepare(foreign);
    try (DaemonProcess daemon = system.startDaemon()) {
      assertThat(resolve(foreign.get(0).gid().toString(), "--abort")).isEqualTo(4);
      assertThat(resolve(id(foreign), "--abort")).isEqualTo(4);
      assertThat(daemon.client().get("/transactions").toString()).doesNotContain(id(foreign));
    }
    try (Connection owner = system.cluster().asOwner(A)) {
      run(owner, "ROLLBACK PREPARED '" + foreign.get(0).gid() + "'");
    }
  }

  // --- a shard that hangs ----------------------------------------------------------------------

  @Test
  void aShardThatHangsHoldsUpNobodyElsesCommit() throws Exception {
    List<Participant> stuck = four(cluster);
    List<Participant> elsewhere = four(cluster).stream().filter(p -> p.shard().equals(A)).toList();
    for (List<Participant> each : List.of(stuck, elsewhere)) {
      log.register(id(each), router, each);
      prepare(each);
      log.decide(id(each), Decision.COMMIT, "router");
    }
    Resolver resolver = resolver();
    system.cluster().shard(B).freeze();
    try {
      CompletableFuture<Void> round = CompletableFuture.runAsync(resolver::sweep);
      for (int turn = 0; turn < 2; turn++) {
        assertThat(resolver.settleSoon(new TreeSet<>(List.of(id(stuck), id(elsewhere))), "test"))
            .isEqualTo(Map.of(id(stuck), Set.of(B)));
      }
      // A round for which nobody waits still waits for the shard.
      assertThat(round).isNotDone();
      assertThat(parts(id(elsewhere), A)).containsExactlyInAnyOrder("pre", "main", "post");
      assertThat(parts(id(stuck), A)).containsExactly("pre", "main");
    } finally {
      system.cluster().shard(B).thaw();
    }
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> resolver.settleSoon(Set.of(id(stuck)), "test").isEmpty());
    assertThat(parts(id(stuck))).containsExactlyInAnyOrder("pre", "main", "main", "post");
  }

  private Resolver resolver() throws IOException {
    DaemonSettings settings =
        SettingsReader.read(
            Files.readString(system.configFile()), system.stateDirectory(), Overrides.none());
    return new Resolver(
        new Resolver.Services(
            log,
            ShardConnections.of(settings, Map.of()),
            cluster,
            settings.shards().keySet(),
            () -> new TreeSet<>(List.of("app")),
            Resolution.Limits.DEFAULT));
  }

  // --- tools -----------------------------------------------------------------------------------

  private Connection home() {
    try {
      return system.cluster().asService(A);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** PRE on A, MAIN on both, POST on A. */
  private List<Participant> four(String ofCluster) {
    String id = GlobalId.random(RANDOM);
    return List.of(
        participant(ofCluster, id, Part.PRE, A),
        participant(ofCluster, id, Part.MAIN, A),
        participant(ofCluster, id, Part.MAIN, B),
        participant(ofCluster, id, Part.POST, A));
  }

  private Participant participant(String ofCluster, String id, Part part, ShardId shard) {
    return new Participant(new GlobalId(ofCluster, router, id, part, shard), "app", "demo");
  }

  private static String id(List<Participant> participants) {
    return participants.get(0).gid().transaction();
  }

  private void prepare(List<Participant> participants) throws SQLException {
    for (Participant participant : participants) {
      try (Connection owner = system.cluster().asOwner(participant.shard())) {
        run(
            owner,
            "BEGIN",
            "INSERT INTO left_behind VALUES ('%s', '%s')"
                .formatted(id(participants), participant.part().word()),
            "PREPARE TRANSACTION '" + participant.gid() + "'");
      }
    }
  }

  private List<String> parts(String transaction) throws SQLException {
    return parts(transaction, A, B);
  }

  private List<String> parts(String transaction, ShardId... shards) throws SQLException {
    List<String> parts = new ArrayList<>();
    for (ShardId shard : shards) {
      try (Connection owner = system.cluster().asOwner(shard);
          Statement statement = owner.createStatement();
          ResultSet row =
              statement.executeQuery(
                  "SELECT part FROM left_behind WHERE transaction = '" + transaction + "'")) {
        while (row.next()) {
          parts.add(row.getString(1));
        }
      }
    }
    return parts;
  }

  private void awaitNothingPrepared() {
    await()
        .atMost(Duration.ofSeconds(20))
        .untilAsserted(
            () -> {
              for (ShardId shard : List.of(A, B)) {
                try (Connection owner = system.cluster().asOwner(shard)) {
                  assertThat(
                          ask(
                              owner,
                              "SELECT string_agg(gid, ' ') FROM pg_prepared_xacts WHERE gid LIKE"
                                  + " 'pgconcord%'"))
                      .isEqualTo("null");
                }
              }
              assertThat(log.open()).isEmpty();
            });
  }

  private static JsonNode listed(DaemonProcess daemon, String id) {
    for (JsonNode each : daemon.client().get("/transactions").path("transactions")) {
      if (each.path("transaction").asText().equals(id)) {
        return each;
      }
    }
    throw new AssertionError("not listed: " + id);
  }

  private int resolve(String name, String... flags) {
    List<String> line = new ArrayList<>(List.of("tx", "resolve", name));
    line.addAll(List.of(flags));
    line.addAll(List.of("--admin", "127.0.0.1:" + system.adminPort()));
    return PgConcord.run(line.toArray(String[]::new));
  }

  private static void run(Connection connection, String... statements) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String each : statements) {
        statement.execute(each);
      }
    }
  }

  private static String ask(Connection connection, String query) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      row.next();
      return String.valueOf(row.getString(1));
    }
  }
}
