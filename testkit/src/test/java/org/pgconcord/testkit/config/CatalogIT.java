package org.pgconcord.testkit.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgconcord.config.catalog.Catalog;
import org.pgconcord.config.catalog.CatalogInstaller;
import org.pgconcord.config.catalog.CatalogState;
import org.pgconcord.config.catalog.CatalogWatch;
import org.pgconcord.config.catalog.Conflict;
import org.pgconcord.config.catalog.GsiProgress;
import org.pgconcord.config.catalog.GsiState;
import org.pgconcord.config.catalog.GsiStep;
import org.pgconcord.config.catalog.Progress;
import org.pgconcord.config.catalog.RoutingState;
import org.pgconcord.config.catalog.RoutingStates;
import org.pgconcord.config.catalog.Stands;
import org.pgconcord.config.catalog.StoredReport;
import org.pgconcord.config.check.SchemaSurvey;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.settings.ServerIdentity;
import org.pgconcord.config.settings.ShardConnections;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.Lsn;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;
import org.pgconcord.testkit.cluster.ShardCluster;

final class CatalogIT {
  private static final GsiName BY_EMAIL = new GsiName("app", "by_email");
  private static final TableName USERS = new TableName("public", "users");

  private static ShardCluster cluster;
  private static ShardConnections connections;
  private Catalog catalog;

  @BeforeAll
  static void start() {
    cluster = ShardCluster.start(2);
    connections = Shards.connections(cluster);
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  @BeforeEach
  void freshCatalog() throws SQLException {
    try (Connection connection = open()) {
      Shards.run(connection, "DROP SCHEMA IF EXISTS pgconcord CASCADE");
      CatalogInstaller.installCatalog(connection);
    }
    catalog = new Catalog(CatalogIT::open);
  }

  @AfterEach
  void close() {
    catalog.close();
  }

  private static Connection open() {
    return connections.open(Shards.A, "app");
  }

  @Test
  void manyInstallersAtOnceMakeOneCatalog() throws Exception {
    try (Connection connection = open()) {
      Shards.run(connection, "DROP SCHEMA pgconcord CASCADE");
    }
    Callable<Boolean> install =
        () -> {
          try (Connection connection = open()) {
            CatalogInstaller.installCatalog(connection);
            CatalogInstaller.installShard(connection);
            return true;
          }
        };
    assertThat(atOnce(8, install)).containsOnly(true);
    assertThat(catalog.load().clusterId()).matches("[0-9a-f]{12}");
    assertThat(catalog.load().revision()).isZero();
  }

  @Test
  void anInstallNeedsNoRightToCreateWhenAllIsThere() throws SQLException {
    try (Connection admin = cluster.asSuperuser(Shards.A);
        Connection connection = open()) {
      Shards.run(admin, "REVOKE CREATE ON DATABASE app FROM pgconcord");
      CatalogInstaller.installCatalog(connection);
      Shards.run(admin, "GRANT CREATE ON DATABASE app TO pgconcord");
    }
    assertThat(catalog.load().document()).isEmpty();
  }

  @Test
  void ofManyWritersWithOneExpectationOneWins() throws Exception {
    Callable<Boolean> apply =
        () -> {
          try (Catalog own = new Catalog(CatalogIT::open)) {
            return own.apply(Shards.DOCUMENT, OptionalLong.of(0), "first") == 1;
          } catch (ConcordException e) {
            assertThat(e.code()).isEqualTo(ErrorCode.TOPOLOGY_REVISION_CHANGED);
            return false;
          }
        };
    assertThat(atOnce(8, apply)).containsOnlyOnce(true);
    CatalogState state = catalog.load();
    assertThat(state.revision()).isEqualTo(1);
    assertThat(state.document().orElseThrow().text()).isEqualTo(Shards.DOCUMENT);
    assertThat(state.status(BY_EMAIL).state()).isEqualTo(GsiState.DECLARED);
  }

  @Test
  void ofManyStepsFromOneStateOneIsTaken() throws Exception {
    catalog.apply(Shards.DOCUMENT, OptionalLong.empty(), "");
    GsiStep fill = GsiStep.of(BY_EMAIL, GsiState.DECLARED, GsiState.FILLING, 0, "");
    Callable<Boolean> step =
        () -> {
          try (Catalog own = new Catalog(CatalogIT::open)) {
            return own.step(fill).epoch() == 1;
          } catch (ConcordException e) {
            assertThat(e.code()).isEqualTo(ErrorCode.CATALOG_STEP_LOST);
            return false;
          }
        };
    assertThat(atOnce(8, step)).containsOnlyOnce(true);
    assertThat(catalog.load().revision()).isEqualTo(2);
    assertThat(catalog.load().status(BY_EMAIL))
        .isEqualTo(new RoutingState.GsiStatus(GsiState.FILLING, "", 1));
  }

  @Test
  void aStepBoundToAReportIsRefusedAfterAnyOtherChange() {
    catalog.apply(Shards.DOCUMENT, OptionalLong.empty(), "");
    long report =
        catalog.storeReport(StoredReport.Kind.GSI, "app.by_email", true, 1, "{\"missing\": 0}");
    GsiStep bound =
        GsiStep.of(BY_EMAIL, GsiState.DECLARED, GsiState.ENABLED, 0, "").boundTo(report, 1);
    catalog.apply(Shards.DOCUMENT, OptionalLong.of(1), "again");
    assertThatThrownBy(() -> catalog.step(bound))
        .isInstanceOfSatisfying(
            ConcordException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.CATALOG_STEP_LOST));
    catalog.step(
        GsiStep.of(BY_EMAIL, GsiState.DECLARED, GsiState.ENABLED, 0, "").boundTo(report, 2));
    assertThat(catalog.reportOf(BY_EMAIL)).hasValue(report);
    assertThat(catalog.newestReport(StoredReport.Kind.GSI, "app.by_email").orElseThrow().document())
        .contains("missing");
  }

  @Test
  void conflictsAndSuspectsAreKeptOnce() {
    Conflict first = new Conflict("a@x", Shards.A, "1", "(1, 2)");
    Conflict second = new Conflict("a@x", Shards.B, "9", "(9, 4)");
    catalog.addConflicts(BY_EMAIL, List.of(second, first));
    catalog.addConflicts(BY_EMAIL, List.of(first));
    Conflict withoutRow = new Conflict("a@x", Shards.B, "9", "");
    catalog.addConflicts(BY_EMAIL, List.of(withoutRow));
    assertThat(catalog.conflicts(BY_EMAIL, 10)).containsExactly(first, second);
    assertThat(catalog.countConflicts(BY_EMAIL)).isEqualTo(1);
    catalog.resolveConflict(BY_EMAIL, "a@x");
    assertThat(catalog.countConflicts(BY_EMAIL)).isZero();
    catalog.addSuspects(BY_EMAIL, List.of("k", "j", "k"));
    assertThat(catalog.suspects(BY_EMAIL, 10)).containsExactly("j", "k");
    catalog.removeSuspect(BY_EMAIL, "j");
    assertThat(catalog.suspects(BY_EMAIL, 10)).containsExactly("k");
  }

  @Test
  void aLaterFormatIsNotTouched() throws SQLException {
    try (Connection connection = open()) {
      Shards.run(connection, "UPDATE pgconcord.cluster SET format = 1000");
    }
    assertThatThrownBy(() -> catalog.apply(Shards.DOCUMENT, OptionalLong.empty(), ""))
        .isInstanceOfSatisfying(
            ConcordException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.CATALOG_NEWER_FORMAT));
  }

  @Test
  void aCatalogGoesOnAfterItsConnectionWasCut() throws SQLException {
    catalog.load();
    try (Connection admin = cluster.asSuperuser(Shards.A)) {
      Shards.run(
          admin,
          "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
              + " WHERE usename = 'pgconcord'");
    }
    assertThat(catalog.load().revision()).isZero();
    assertThat(catalog.apply(Shards.DOCUMENT, OptionalLong.empty(), "")).isEqualTo(1);
  }

  @Test
  void progressOnlyGoesForward() throws SQLException {
    try (Connection connection = connections.open(Shards.B, "app")) {
      CatalogInstaller.installShard(connection);
      Progress ten = new Progress("shard-a", "app.by_email", new Lsn(10), 1);
      assertThat(ten.store(connection)).isTrue();
      assertThat(new Progress("shard-a", "app.by_email", new Lsn(9), 1).store(connection))
          .isFalse();
      assertThat(new Progress("shard-a", "app.by_email", new Lsn(11), 0).store(connection))
          .isFalse();
      assertThat(Progress.read(connection, "shard-a", "app.by_email")).contains(ten);
      Progress.remove(connection, "shard-a", "app.by_email");
      assertThat(Progress.read(connection, "shard-a", "app.by_email")).isEmpty();
    }
  }

  @Test
  void theViewHasTheNewestProgressOfEachShard() throws SQLException {
    catalog.apply(Shards.DOCUMENT, OptionalLong.empty(), "");
    catalog.showProgress(
        List.of(
            shown(Shards.B, "load", 40, OptionalLong.empty()),
            shown(Shards.A, "backfill", 10, OptionalLong.of(9))));
    catalog.showProgress(List.of(shown(Shards.A, "backfill", 20, OptionalLong.of(8))));
    try (Connection connection = open();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT string_agg(concat_ws(' ', gsi, state, shard, phase, rows, percent,"
                    + " coalesce(eta_seconds::text, 'unknown')), '; ' ORDER BY shard)"
                    + " FROM pgconcord.gsi_progress")) {
      row.next();
      assertThat(row.getString(1))
          .isEqualTo(
              "app.by_email declared shard-a backfill 20 20 8;"
                  + " app.by_email declared shard-b load 40 40 unknown");
    }
  }

  @Test
  void aCatalogFromBeforeTheProgressTableGetsIt() throws SQLException {
    try (Connection connection = open()) {
      Shards.run(connection, "DROP TABLE pgconcord.progress_now CASCADE");
      CatalogInstaller.installCatalog(connection);
      CatalogInstaller.installCatalog(connection);
    }
    catalog.showProgress(List.of(shown(Shards.A, "load", 1, OptionalLong.empty())));
  }

  private static GsiProgress shown(ShardId shard, String phase, long rows, OptionalLong eta) {
    return new GsiProgress(BY_EMAIL, shard, phase, rows, 100, (double) rows, 1, eta, 0, 0.0, 0);
  }

  /**
   * What earlier versions made, by the statements that they made it with, becomes what this one
   * makes; a router waits for the daemon that does it. The servers that are known are those that
   * the indexes stand on, and a follower that is found afterwards is one.
   */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4})
  void anEarlierFormatIsBroughtUpToDate(int format) throws Exception {
    try (Connection connection = open()) {
      Set<String> fresh = shape(connection);
      Shards.run(connection, "DROP SCHEMA pgconcord CASCADE", "CREATE SCHEMA pgconcord");
      for (String statement : earlier(format).split(";;")) {
        Shards.run(connection, statement);
      }
      Shards.run(
          connection,
          "INSERT INTO pgconcord.cluster (id, format, revision) VALUES ('0123456789ab', %d, 0)"
              .formatted(format),
          "INSERT INTO pgconcord.server (shard, system_identifier, timeline, version)"
              + " VALUES ('shard-b', 7, 2, 150000)");
      assertThat(CatalogInstaller.isUpToDate(connection)).isFalse();

      CatalogInstaller.installCatalog(connection);
      assertThat(CatalogInstaller.isUpToDate(connection)).isTrue();
      assertThat(shape(connection)).isEqualTo(fresh);
    }
    ServerIdentity before = new ServerIdentity(7, 2, 150_000);
    assertThat(catalog.load().clusterId()).isEqualTo("0123456789ab");
    assertThat(catalog.load().stands()).isEqualTo(new Stands(Map.of(Shards.B, before), Set.of()));
    catalog.rememberServers(Map.of(Shards.B, new ServerIdentity(7, 3, 150_000)));
    assertThat(catalog.load().stands())
        .isEqualTo(new Stands(Map.of(Shards.B, before), Set.of(Shards.B)));
    catalog.serverSettled(Shards.B, 3);
    assertThat(catalog.load().stands().changed()).isEmpty();
  }

  private static String earlier(int format) throws IOException {
    try (InputStream in =
        CatalogIT.class.getResourceAsStream("/catalogs/format-%d.sql".formatted(format))) {
      return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  /** Columns, constraints and indexes; in what order columns were added is of no interest. */
  private static Set<String> shape(Connection connection) throws SQLException {
    Set<String> shape = new TreeSet<>();
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT concat_ws(' ', table_name, column_name, data_type, is_nullable,"
                    + " column_default) FROM information_schema.columns"
                    + " WHERE table_schema = 'pgconcord' UNION ALL"
                    + " SELECT conrelid::regclass || ' ' || pg_get_constraintdef(oid)"
                    + " FROM pg_constraint WHERE connamespace = 'pgconcord'::regnamespace UNION ALL"
                    + " SELECT indexdef FROM pg_indexes WHERE schemaname = 'pgconcord'")) {
      while (row.next()) {
        shape.add(row.getString(1));
      }
    }
    return shape;
  }

  @Test
  void thePageListsEveryTableAndColumn() throws Exception {
    String page = Files.readString(Path.of("..", "docs", "formats.md"));
    try (Connection connection = open();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT table_name, string_agg('`' || column_name || '`', ', '"
                    + " ORDER BY ordinal_position) FROM information_schema.columns"
                    + " WHERE table_schema = 'pgconcord' AND table_name <> 'progress'"
                    + " AND column_name NOT IN ('singleton', 'created_at') GROUP BY 1")) {
      while (row.next()) {
        assertThat(page).contains("| `" + row.getString(1) + "` | " + row.getString(2) + " |");
      }
    }
  }

  @Test
  void aWatchTellsOfStepsAndOfNewColumns() throws Exception {
    for (var shard : cluster.shards()) {
      Shards.asOwner(cluster, shard, "DROP TABLE IF EXISTS users", Shards.USERS);
    }
    catalog.apply(Shards.DOCUMENT, OptionalLong.empty(), "");
    RoutingStates states = new RoutingStates(catalog, new SchemaSurvey(connections));
    LinkedBlockingQueue<RoutingState> seen = new LinkedBlockingQueue<>();
    try (CatalogWatch watch = new CatalogWatch(catalog, states, CatalogIT::open, seen::add)) {
      RoutingState first = watch.start();
      assertThat(first.revision()).isEqualTo(1);
      assertThat(first.schema("app", USERS).orElseThrow().primaryKey())
          .containsExactly("tenant_id", "user_id");
      assertThat(seen.take()).isEqualTo(first);

      catalog.step(GsiStep.of(BY_EMAIL, GsiState.DECLARED, GsiState.FILLING, 0, ""));
      RoutingState second = next(seen);
      assertThat(second.status(BY_EMAIL).state()).isEqualTo(GsiState.FILLING);

      Shards.asOwner(cluster, Shards.A, "ALTER TABLE users ADD COLUMN added text");
      watch.refreshSchemas();
      RoutingState third = next(seen);
      assertThat(third.revision()).isEqualTo(second.revision());
      assertThat(third.schema("app", USERS).orElseThrow().column("added")).isPresent();
    }
  }

  private static RoutingState next(LinkedBlockingQueue<RoutingState> seen)
      throws InterruptedException {
    RoutingState state = seen.poll(20, TimeUnit.SECONDS);
    assertThat(state).as("a new routing state within 20 s").isNotNull();
    return state;
  }

  private static List<Boolean> atOnce(int threads, Callable<Boolean> work)
      throws InterruptedException, ExecutionException {
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      List<Boolean> results = new ArrayList<>();
      for (Future<Boolean> each : pool.invokeAll(java.util.Collections.nCopies(threads, work))) {
        results.add(each.get());
      }
      return results;
    } finally {
      pool.shutdownNow();
    }
  }
}
