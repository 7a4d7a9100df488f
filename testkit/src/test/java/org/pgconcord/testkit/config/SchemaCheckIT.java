package org.pgconcord.testkit.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pgconcord.config.catalog.CatalogInstaller;
import org.pgconcord.config.check.PlacementSurvey;
import org.pgconcord.config.check.SchemaSurvey;
import org.pgconcord.config.check.Survey;
import org.pgconcord.config.check.TopologyCheck;
import org.pgconcord.config.schema.Column;
import org.pgconcord.config.schema.Numbering;
import org.pgconcord.config.schema.SchemaReader;
import org.pgconcord.config.schema.TableSchema;
import org.pgconcord.config.schema.UniqueKey;
import org.pgconcord.config.schema.UserCode;
import org.pgconcord.config.settings.ShardConnections;
import org.pgconcord.config.sharding.KeyType;
import org.pgconcord.config.sharding.ShardLocator;
import org.pgconcord.config.topology.Finding;
import org.pgconcord.config.topology.Placement;
import org.pgconcord.config.topology.Topology;
import org.pgconcord.config.topology.TopologyReader;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;
import org.pgconcord.testkit.cluster.ShardCluster;

/** Two shards as the example document wants them, and one thing wrong at a time. */
final class SchemaCheckIT {
  private static ShardCluster cluster;
  private static ShardConnections connections;
  private static final Topology TOPOLOGY = TopologyReader.read(Shards.DOCUMENT).orThrow();

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
  void soundTables() throws SQLException {
    for (ShardId shard : cluster.shards()) {
      try (Connection admin = cluster.asSuperuser(shard)) {
        Shards.run(
            admin,
            "DROP SCHEMA public CASCADE",
            "CREATE SCHEMA public",
            "GRANT CREATE, USAGE ON SCHEMA public TO demo, pgconcord");
      }
      Shards.asOwner(
          cluster,
          shard,
          Shards.USERS,
          "ALTER TABLE users REPLICA IDENTITY FULL",
          "CREATE TABLE countries (code char(2) PRIMARY KEY, name text)");
    }
  }

  @Test
  void soundShardsHaveNoFindings() {
    assertThat(check()).isEmpty();
  }

  @Test
  void columnsKeysAndTheirPromisesAreRead() throws SQLException {
    Shards.asOwner(
        cluster,
        Shards.A,
        "CREATE TYPE mood AS ENUM ('sad', 'ok')",
        "CREATE DOMAIN code AS integer",
        "CREATE DOMAIN inner_code AS code",
        "CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
        "CREATE TABLE t (a int NOT NULL, gone int, m mood, c inner_code, d numeric(5,2) DEFAULT 1,"
            + " l text COLLATE loose, s text COLLATE \"C\", x text[], g int GENERATED ALWAYS AS"
            + " (a + 1) STORED, i bigint GENERATED ALWAYS AS IDENTITY, PRIMARY KEY (a) INCLUDE (s))",
        "ALTER TABLE t DROP COLUMN gone",
        "CREATE UNIQUE INDEX t_partial ON t (s) WHERE a > 0",
        "CREATE UNIQUE INDEX t_expression ON t (lower(s))",
        "CREATE UNIQUE INDEX t_c ON t (c, m)",
        "CREATE INDEX t_hash ON t USING hash (s)",
        "CREATE INDEX t_other_collation ON t (s COLLATE \"POSIX\")",
        "CREATE INDEX t_d ON t (d DESC, a)",
        "ALTER TABLE t ADD CONSTRAINT t_late UNIQUE (d) DEFERRABLE",
        "ALTER TABLE t ENABLE ROW LEVEL SECURITY");
    TableSchema t = read("t");
    assertThat(t.columns())
        .extracting(Column::name)
        .containsExactly("a", "m", "c", "d", "l", "s", "x", "g", "i");
    assertThat(column(t, "m").keyType()).contains(KeyType.ENUM);
    assertThat(column(t, "c").keyType()).contains(KeyType.INT);
    assertThat(column(t, "x").keyType()).isEmpty();
    assertThat(column(t, "d").type()).isEqualTo("numeric(5,2)");
    assertThat(column(t, "l").deterministic()).isFalse();
    assertThat(column(t, "l").collation()).isEqualTo("public.loose");
    assertThat(column(t, "s").collation()).isEqualTo("C");
    assertThat(t.columns())
        .filteredOn(Column::hasDefault)
        .extracting(Column::name)
        .containsExactly("d", "g", "i");
    assertThat(t.columns())
        .filteredOn(Column::generated)
        .extracting(Column::name)
        .containsExactly("g");
    assertThat(t.primaryKey()).containsExactly("a");
    assertThat(t.uniqueKeys())
        .filteredOn(UniqueKey::usable)
        .extracting(UniqueKey::columns)
        .containsExactly(List.of("a"), List.of("c", "m"));
    assertThat(t.uniqueKeys()).hasSize(5);
    assertThat(t.indexes())
        .containsExactlyInAnyOrder(
            List.of("a"), List.of("c", "m"), List.of("d", "a"), List.of("d"));
    assertThat(t.replicaIdentity()).isEqualTo('d');
    assertThat(t.replicaIdentityColumns()).containsExactly("a");
    assertThat(t.rowSecurity()).isTrue();
  }

  @Test
  void aPartitionedTableIsWhatItsLeavesAre() throws SQLException {
    Shards.asOwner(
        cluster,
        Shards.A,
        "CREATE TABLE p (a int PRIMARY KEY) PARTITION BY RANGE (a)",
        "CREATE TABLE p1 PARTITION OF p FOR VALUES FROM (0) TO (10)",
        "CREATE TABLE p2 PARTITION OF p DEFAULT",
        "ALTER TABLE p1 REPLICA IDENTITY FULL",
        "INSERT INTO p SELECT generate_series(0, 19)",
        "ANALYZE p");
    assertThat(read("p").relkind()).isEqualTo('p');
    assertThat(read("p").rowsEstimated()).isEqualTo(20);
    assertThat(read("p").replicaIdentityColumns()).isEmpty();
    Shards.asOwner(cluster, Shards.A, "ALTER TABLE p2 REPLICA IDENTITY FULL");
    assertThat(read("p").replicaIdentityColumns()).containsExactly("a");
  }

  @Test
  void shardsThatDifferAreNamedWithTheColumn() throws SQLException {
    Shards.asOwner(cluster, Shards.B, "ALTER TABLE users ALTER name TYPE varchar(80)");
    assertThat(check())
        .singleElement()
        .satisfies(
            f -> {
              assertThat(f.id()).isEqualTo("schema/shards-differ");
              assertThat(f.message())
                  .isEqualTo(
                      "column \"name\" differs: \"text collate default\" on shard-a,"
                          + " \"character varying(80) collate default\" on shard-b");
            });
  }

  /** Every difference that is planted on one shard is named, with what each shard has. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          ALTER TABLE users ALTER name TYPE text COLLATE "C"        | column "name" differs: "text collate default" on shard-a, "text collate C" on shard-b
          ALTER TABLE users ALTER name SET NOT NULL                 | column "name" differs: "text collate default" on shard-a, "text collate default not null" on shard-b
          ALTER TABLE users ALTER name SET DEFAULT 'x'              | column "name" differs: "text collate default" on shard-a, "text collate default default 'x'::text" on shard-b
          ALTER TABLE users DROP name                               | column "name" differs: "text collate default" on shard-a, "absent" on shard-b
          ALTER TABLE users DROP name; ALTER TABLE users ADD extra int, ADD name text | column "extra" differs: "absent" on shard-a, "integer" on shard-b
          ALTER TABLE countries DROP name; ALTER TABLE countries ADD name text; ALTER TABLE countries DROP CONSTRAINT countries_pkey; ALTER TABLE countries ADD UNIQUE (code) | the primary key differs: "code" on shard-a, "" on shard-b
          ALTER TABLE users ENABLE ROW LEVEL SECURITY               | row level security differs: "off" on shard-a, "on" on shard-b
          """)
  void everyDifferenceOfOneShardIsNamed(String change, String message) throws SQLException {
    Shards.asOwner(cluster, Shards.B, change);
    assertThat(check())
        .filteredOn(f -> f.id().equals("schema/shards-differ"))
        .extracting(Finding::message)
        .contains(message);
  }

  @Test
  void aMissingTableIsNamedWithItsShards() throws SQLException {
    Shards.asOwner(cluster, Shards.B, "DROP TABLE countries");
    assertThat(ids()).containsExactly("schema/table-missing");
  }

  @Test
  void aViewIsNoTable() throws SQLException {
    for (ShardId shard : cluster.shards()) {
      Shards.asOwner(
          cluster,
          shard,
          "ALTER TABLE countries RENAME TO land",
          "CREATE VIEW countries AS SELECT * FROM land");
    }
    assertThat(ids())
        .containsExactly("schema/not-a-table", "schema/not-a-table", "schema/no-primary-key");
  }

  @Test
  void theShardKeyMustBeThereHashableAndDeterministic() throws SQLException {
    everywhere("ALTER TABLE users RENAME tenant_id TO tenant");
    assertThat(ids()).contains("schema/shard-key-missing", "gsi/column-missing");
    soundTables();
    everywhere("ALTER TABLE users ALTER tenant_id TYPE jsonb USING to_jsonb(tenant_id)");
    assertThat(ids()).contains("schema/shard-key-type", "gsi/column-type");
    soundTables();
    everywhere(
        "CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
        "ALTER TABLE users ALTER tenant_id TYPE text COLLATE loose",
        "ALTER TABLE users ALTER email TYPE text COLLATE loose");
    assertThat(ids())
        .containsExactly(
            "schema/shard-key-collation", "gsi/column-collation", "gsi/column-collation");
    soundTables();
    everywhere(
        "ALTER TABLE users DROP CONSTRAINT users_pkey",
        "ALTER TABLE users ALTER tenant_id DROP NOT NULL");
    assertThat(ids()).containsExactly("schema/shard-key-nullable");
  }

  @Test
  void aRangeOrAModuloNeedsAnInteger() throws SQLException {
    everywhere("ALTER TABLE users ALTER tenant_id TYPE uuid USING gen_random_uuid()");
    assertThat(ids()).isEmpty();
    String range = Shards.DOCUMENT.replace("\"xxhash\"", "\"range\"");
    Topology topology = TopologyReader.read(range).orThrow();
    assertThat(TopologyCheck.schemas(topology, survey()))
        .extracting(Finding::id)
        .containsExactly("schema/shard-key-type");
  }

  @Test
  void sequencesThatNoRouterCanFollowAreNamed() throws SQLException {
    everywhere(
        "ALTER TABLE users ADD serial_no bigserial",
        "ALTER TABLE users ADD id int GENERATED BY DEFAULT AS IDENTITY",
        "CREATE SEQUENCE shared",
        "ALTER TABLE users ADD third bigint DEFAULT nextval('shared') + 1",
        "ALTER TABLE users ADD fourth bigint DEFAULT nextval('shared'::text)",
        "ALTER TABLE users ADD fifth text DEFAULT nextval('shared')",
        "ALTER TABLE users ADD sixth bigint DEFAULT nextval('shared')");
    assertThat(TopologyCheck.schemas(TOPOLOGY, survey()))
        .extracting(f -> f.severity() + " " + f.id() + " " + f.path())
        .containsExactly(
            "WARNING schema/sequence public.users.fifth",
            "WARNING schema/sequence public.users.fourth",
            "WARNING schema/sequence public.users.third");
    everywhere(
        "ALTER TABLE users DROP third, DROP fourth, DROP fifth, DROP sixth",
        "DROP SEQUENCE shared",
        "ALTER TABLE users ALTER serial_no DROP DEFAULT");
    assertThat(ids()).isEmpty();
    Shards.asOwner(cluster, Shards.B, "ALTER TABLE users ALTER id SET MAXVALUE 5");
    assertThat(ids()).containsExactly("schema/sequence");
    everywhere("ALTER TABLE users ALTER id SET NO MAXVALUE SET CYCLE");
    assertThat(ids()).containsExactly("schema/sequence");
    everywhere("ALTER TABLE users ALTER id SET NO CYCLE SET INCREMENT BY 2");
    assertThat(ids()).isEmpty();
    assertThat(numbered()).isTrue();
    Shards.asOwner(cluster, Shards.B, "ALTER TABLE users ALTER id SET START WITH 2 RESTART");
    assertThat(ids()).isEmpty();
    assertThat(numbered()).as("each shard has numbers of its own").isFalse();
  }

  @Test
  void aShardsOwnSequenceBeyondTheRoutersIsNamed() throws SQLException {
    everywhere("ALTER TABLE users ADD serial_no bigserial");
    try (Connection service = cluster.asService(Shards.A)) {
      CatalogInstaller.installShard(service, List.of());
      run(
          service,
          "INSERT INTO pgconcord.sequence VALUES"
              + " ('public', 'users_serial_no_seq', 1001, 1000, 1, 1, 9223372036854775807)");
      everywhere("SELECT setval('users_serial_no_seq', 1000)");
      assertThat(ids()).isEmpty();
      Shards.asOwner(cluster, Shards.B, "SELECT nextval('users_serial_no_seq')");
      Finding found = TopologyCheck.schemas(TOPOLOGY, survey()).get(0);
      assertThat(found.id()).isEqualTo("schema/sequence-ahead");
      String message = found.message();
      run(service, message.substring(message.indexOf("UPDATE")));
      assertThat(ids()).isEmpty();
      run(service, "DELETE FROM pgconcord.sequence");
    }
  }

  private static void run(Connection connection, String sql) throws SQLException {
    try (java.sql.Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private boolean numbered() {
    List<Numbering> sequences =
        Objects.requireNonNull(survey().get("app"))
            .table(new TableName("public", "users"))
            .values()
            .stream()
            .flatMap(table -> table.column("id").stream())
            .flatMap(column -> column.numbering().stream())
            .toList();
    return Numbering.over(sequences).isPresent();
  }

  @Test
  void theOwnerNeedsItsIndexesAndIdentity() throws SQLException {
    everywhere("ALTER TABLE users DROP CONSTRAINT users_tenant_id_email_key");
    assertThat(ids()).containsExactly("gsi/owner-unique-index", "gsi/owner-index");
    everywhere("CREATE INDEX ON users (email, name)");
    assertThat(ids()).containsExactly("gsi/owner-unique-index");
    everywhere(
        "CREATE UNIQUE INDEX ON users (email)", "ALTER TABLE users REPLICA IDENTITY DEFAULT");
    assertThat(ids()).containsExactly("gsi/replica-identity");
    everywhere(
        "CREATE UNIQUE INDEX wide ON users (user_id, email, tenant_id)",
        "ALTER TABLE users REPLICA IDENTITY USING INDEX wide");
    assertThat(ids()).isEmpty();
  }

  @Test
  void anExistingLookupTableMustFit() throws SQLException {
    Shards.asOwner(
        cluster,
        Shards.A,
        "CREATE TABLE users_by_email (email text, tenant_id bigint, PRIMARY KEY (email))");
    assertThat(ids()).isEmpty();
    Shards.asOwner(
        cluster,
        Shards.A,
        "DROP TABLE users_by_email",
        "CREATE TABLE users_by_email (email varchar, tenant_id bigint, more int NOT NULL,"
            + " PRIMARY KEY (email, tenant_id))");
    assertThat(ids())
        .containsExactly("gsi/lookup-primary-key", "gsi/lookup-columns", "gsi/lookup-columns");
  }

  @Test
  void anUndeclaredTableMayHaveRowsOnlyWhereTheDefaultsPutIt() throws SQLException {
    everywhere("CREATE TABLE notes (id int)");
    Shards.asOwner(cluster, Shards.A, "INSERT INTO notes VALUES (1)");
    assertThat(ids()).isEmpty();
    Shards.asOwner(cluster, Shards.B, "INSERT INTO notes VALUES (1)");
    assertThat(ids()).containsExactly("schema/undeclared-rows");
    Survey survey = Objects.requireNonNull(survey().get("app"));
    assertThat(TopologyCheck.misplaced(TOPOLOGY.database("app").orElseThrow(), survey))
        .containsExactly(new TableName("public", "notes"));
    Shards.asOwner(cluster, Shards.B, "DELETE FROM notes");
    assertThat(ids()).isEmpty();
  }

  @Test
  void relationsWithADeclaredTablesNameInAnotherSchemaAreFound() throws SQLException {
    try (Connection admin = cluster.asSuperuser(Shards.B)) {
      Shards.run(
          admin,
          "CREATE SCHEMA other",
          "CREATE VIEW other.users AS SELECT 1 AS tenant_id",
          "CREATE TABLE other.unrelated (id int)");
      assertThat(Objects.requireNonNull(survey().get("app")).namesakes())
          .containsExactly(new TableName("other", "users"));
      Shards.run(admin, "DROP SCHEMA other CASCADE");
    }
  }

  @Test
  void whatRunsCodeOfUsersIsFoundOnAnyShard() throws SQLException {
    UserCode before = Objects.requireNonNull(survey().get("app")).code();
    try (Connection admin = cluster.asSuperuser(Shards.B)) {
      Shards.run(
          admin,
          "CREATE SCHEMA own",
          "CREATE TYPE own.mark AS (n int)",
          "CREATE DOMAIN own.marked AS own.mark",
          "CREATE TYPE own.seal AS (n int)",
          "CREATE FUNCTION own.abs(text) RETURNS int LANGUAGE sql AS 'SELECT 1'",
          "CREATE FUNCTION own.of(own.mark) RETURNS int LANGUAGE plpgsql AS 'BEGIN RETURN 1; END'",
          "CREATE FUNCTION own.sealed(own.seal) RETURNS int LANGUAGE sql AS 'SELECT 1'",
          "CREATE FUNCTION own.fired() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN new; END'",
          "CREATE FUNCTION own.size(text) RETURNS int LANGUAGE internal AS 'textlen'",
          "CREATE OPERATOR own.## (RIGHTARG = text, FUNCTION = own.abs)",
          "CREATE OPERATOR own.<## (RIGHTARG = text, FUNCTION = own.size)",
          "CREATE FUNCTION own.step(int, text) RETURNS int LANGUAGE sql AS 'SELECT 1'",
          "CREATE AGGREGATE own.sum(text) (SFUNC = own.step, STYPE = int)",
          "CREATE CAST (own.mark AS int) WITH FUNCTION own.of(own.mark) AS IMPLICIT",
          "CREATE CAST (own.seal AS int) WITH FUNCTION own.sealed(own.seal)",
          "CREATE TABLE own.kept (id int, m own.marked)",
          "CREATE VIEW own.shown AS SELECT id FROM own.kept");
      UserCode found = Objects.requireNonNull(survey().get("app")).code();
      Shards.run(admin, "DROP SCHEMA own CASCADE");
      assertThat(found.functions()).containsKeys("abs", "of", "sealed", "step", "sum");
      assertThat(found.functions()).doesNotContainKeys("fired", "size", "count", "lpad");
      assertThat(found.compiled()).containsOnlyKeys("size");
      assertThat(found.rowFunctions()).contains("of", "sealed").doesNotContain("abs");
      assertThat(found.operators()).containsKey("##").doesNotContainKeys("<##", "+");
      assertThat(found.casts()).containsKeys("mark", "_mark", "marked", "kept", "shown");
      assertThat(found.explicitCasts()).containsKey("seal").doesNotContainKeys("mark", "int4");
      assertThat(found.anyExplicitCast()).isEmpty();
    }
    assertThat(Objects.requireNonNull(survey().get("app")).code()).isEqualTo(before);
  }

  @Test
  void rowsOnTheWrongShardAreCounted() throws SQLException {
    ShardLocator locator = locator();
    everywhere("CREATE TABLE settings (id int)");
    String unsharded =
        Shards.DOCUMENT.replace(
            "\"users_by_email\": {",
            "\"settings\": {\"shard_group\": \"meta\"}, \"users_by_email\": {");
    Topology topology = TopologyReader.read(unsharded).orThrow();
    for (int tenant = 1; tenant <= 100; tenant++) {
      Shards.asOwner(
          cluster,
          locator.locate(Integer.toString(tenant)),
          "INSERT INTO users VALUES (%1$d, 1, 'a@%1$d'), (%1$d, 2, 'b@%1$d')".formatted(tenant));
    }
    PlacementSurvey placements = new PlacementSurvey(connections);
    assertThat(placements.changed(Optional.empty(), topology)).isEmpty();

    Shards.asOwner(cluster, Shards.B, "INSERT INTO settings VALUES (1)");
    Shards.asOwner(
        cluster,
        locator.locate("7").equals(Shards.A) ? Shards.B : Shards.A,
        "INSERT INTO users VALUES (7, 3, 'c'), (7, 4, 'd'), (7, 5, 'e')");
    assertThat(placements.changed(Optional.empty(), topology))
        .extracting(
            f ->
                f.id()
                    + " "
                    + f.path()
                    + " "
                    + f.message().replaceAll(" of .* belongs? ", " belong "))
        .containsExactlyInAnyOrder(
            "schema/misplaced-rows public.users 3 belong elsewhere",
            "schema/misplaced-rows public.settings 1 belong elsewhere");
    assertThat(placements.changed(Optional.of(topology), topology)).isEmpty();

    Topology halved = TopologyReader.read(unsharded.replace("\"80\"", "\"40\"")).orThrow();
    assertThat(placements.changed(Optional.of(topology), halved))
        .extracting(Finding::path)
        .contains("public.users")
        .doesNotContain("public.settings");
  }

  @Test
  void rowsAreCountedByWholeKeys() throws SQLException {
    String both = Shards.DOCUMENT.replace("[\"tenant_id\"]", "[\"tenant_id\", \"user_id\"]");
    String plain =
        both.replaceFirst("(?s)\"global_secondary_indexes\".*?\\}\\},", "")
            .replaceFirst(",\\s*\"secondary_indexes\": \\[.*?\\}\\]", "");
    Topology topology = TopologyReader.read(plain).orThrow();
    Placement.Sharded users =
        (Placement.Sharded)
            topology.database("app").orElseThrow().placement(new TableName("public", "users"));
    ShardLocator keys =
        new ShardLocator(users.group(), users.index(), List.of(KeyType.INT, KeyType.INT));
    for (int user = 1; user <= 40; user++) {
      Shards.asOwner(
          cluster,
          keys.locate(List.of("7", Integer.toString(user))),
          "INSERT INTO users VALUES (7, %1$d, 'a@%1$d')".formatted(user));
    }
    PlacementSurvey placements = new PlacementSurvey(connections);
    assertThat(placements.changed(Optional.empty(), topology)).isEmpty();
    ShardId wrong = keys.locate(List.of("7", "1")).equals(Shards.A) ? Shards.B : Shards.A;
    Shards.asOwner(cluster, wrong, "INSERT INTO users VALUES (7, 1, 'elsewhere')");
    assertThat(placements.changed(Optional.empty(), topology))
        .extracting(f -> f.message().replaceAll(" of .* belongs? ", " belong "))
        .containsExactly("1 belong elsewhere");
  }

  private static ShardLocator locator() {
    Placement.Sharded users =
        (Placement.Sharded)
            TOPOLOGY.database("app").orElseThrow().placement(new TableName("public", "users"));
    return new ShardLocator(users.group(), users.index(), KeyType.INT);
  }

  private static void everywhere(String... statements) throws SQLException {
    for (ShardId shard : cluster.shards()) {
      Shards.asOwner(cluster, shard, statements);
    }
  }

  private static List<Finding> check() {
    return TopologyCheck.schemas(TOPOLOGY, survey());
  }

  private static Map<String, Survey> survey() {
    return new SchemaSurvey(connections).read(TOPOLOGY);
  }

  private static List<String> ids() {
    return check().stream().map(Finding::id).toList();
  }

  private static TableSchema read(String table) throws SQLException {
    TableName name = new TableName("public", table);
    try (Connection connection = connections.open(Shards.A, "app")) {
      return Objects.requireNonNull(SchemaReader.read(connection, List.of(name)).get(name));
    }
  }

  private static Column column(TableSchema table, String name) {
    return table.column(name).orElseThrow();
  }
}
