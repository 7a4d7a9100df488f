package org.pgconcord.testkit.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.pgconcord.config.check.SchemaSurvey;
import org.pgconcord.config.check.TopologyCheck;
import org.pgconcord.config.schema.Column;
import org.pgconcord.config.schema.SchemaReader;
import org.pgconcord.config.schema.TableSchema;
import org.pgconcord.config.settings.ShardConnections;
import org.pgconcord.config.sharding.KeyType;
import org.pgconcord.config.topology.Finding;
import org.pgconcord.config.topology.Topology;
import org.pgconcord.config.topology.TopologyReader;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;
import org.pgconcord.testkit.cluster.ShardCluster;

/** What an owner's schema may use, feature by feature: no finding, or one by its name. */
class OwnerChecksIT {
  private static final Topology TOPOLOGY = TopologyReader.read(Shards.DOCUMENT).orThrow();
  private static final TableName USERS = new TableName("public", "users");

  private static ShardCluster cluster;
  private static ShardConnections connections;

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
            "GRANT CREATE, USAGE ON SCHEMA public TO demo, pgconcord",
            "CREATE EXTENSION citext SCHEMA public",
            "DROP FOREIGN DATA WRAPPER IF EXISTS nothing CASCADE",
            "CREATE FOREIGN DATA WRAPPER nothing",
            "CREATE SERVER nowhere FOREIGN DATA WRAPPER nothing",
            "GRANT USAGE ON FOREIGN SERVER nowhere TO demo");
      }
      Shards.asOwner(
          cluster,
          shard,
          "CREATE DOMAIN tenant AS bigint NOT NULL",
          "CREATE DOMAIN short AS varchar(40)",
          "CREATE DOMAIN address AS short DEFAULT 'nobody'",
          "CREATE TYPE mood AS ENUM ('fine', 'so so')",
          "CREATE DOMAIN humour AS mood",
          "CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level2', deterministic ="
              + " false)",
          "CREATE DOMAIN loosely AS text COLLATE loose",
          "CREATE TABLE countries (code char(2) PRIMARY KEY, name text)");
    }
  }

  static Stream<Arguments> features() {
    String keys = " PRIMARY KEY (tenant_id, user_id), UNIQUE (tenant_id, email)";
    String plain = "CREATE TABLE users (%s, user_id bigint, %s, name text," + keys + ")";
    return Stream.of(
        // Domains count as what is beneath them.
        expect("", plain.formatted("tenant_id tenant", "email address")),
        expect("gsi/column-type", plain.formatted("tenant_id bigint", "email humour")),
        expect("gsi/column-collation", plain.formatted("tenant_id bigint", "email loosely")),
        // Enums' labels may be renamed under stored rows.
        expect(
            "schema/shard-key-type gsi/column-type",
            plain.formatted("tenant_id mood", "email text")),
        expect("gsi/column-type", plain.formatted("tenant_id bigint", "email mood")),
        // Equality that is not that of bytes.
        expect("gsi/column-type", plain.formatted("tenant_id bigint", "email citext")),
        expect(
            "schema/shard-key-type gsi/column-type",
            plain.formatted("tenant_id citext", "email text")),
        expect(
            "gsi/column-collation",
            plain.formatted("tenant_id bigint", "email text COLLATE loose")),
        expect(
            "schema/shard-key-collation gsi/column-collation",
            plain.formatted("tenant_id text COLLATE loose", "email text")),
        // Generated columns; not indexed ones are nobody's business.
        expect(
            "gsi/column-generated",
            plain.formatted(
                "tenant_id bigint",
                "email text GENERATED ALWAYS AS (lower(user_id::text)) STORED")),
        expect(
            "schema/shard-key-generated gsi/column-generated",
            plain.formatted(
                "tenant_id bigint GENERATED ALWAYS AS (user_id % 10) STORED", "email text")),
        expect(
            "",
            plain.formatted(
                "tenant_id bigint",
                "email text, g text GENERATED ALWAYS AS ('x' || email) STORED")),
        // What has the rows.
        expect(
            "schema/inheritance",
            plain.formatted("tenant_id bigint", "email text"),
            "CREATE TABLE child () INHERITS (users)"),
        expect(
            "gsi/owner-storage",
            plain.formatted("tenant_id bigint", "email text").replace("TABLE", "UNLOGGED TABLE")));
  }

  private static Arguments expect(String findings, String... ddl) {
    return Arguments.of(findings, List.of(ddl));
  }

  @ParameterizedTest
  @MethodSource("features")
  void aFeatureIsServedOrNamed(String findings, List<String> ddl) throws SQLException {
    everywhere(ddl.toArray(String[]::new));
    everywhere("ALTER TABLE users REPLICA IDENTITY FULL");
    assertThat(ids()).isEqualTo(findings);
  }

  @Test
  void aDomainBringsItsModifierItsDefaultAndItsNotNull() throws SQLException {
    everywhere(
        "CREATE TABLE users (tenant_id tenant, user_id bigint, email address, code char(3))");
    TableSchema users = users();
    Column email = users.column("email").orElseThrow();
    assertThat(email.base().type()).isEqualTo("character varying(40)");
    assertThat(email.keyType()).contains(KeyType.TEXT);
    assertThat(email.hasDefault()).isTrue();
    assertThat(email.notNull()).isFalse();
    assertThat(users.column("tenant_id").orElseThrow().notNull()).isTrue();
    assertThat(users.column("tenant_id").orElseThrow().base())
        .isEqualTo(new Column.Base(20, "bigint"));
    assertThat(users.column("code").orElseThrow().base().type()).isEqualTo("character(3)");
  }

  @Test
  void aDomainOverAnotherTypeElsewhereDiffers() throws SQLException {
    Shards.asOwner(cluster, Shards.B, "DROP DOMAIN short CASCADE", "CREATE DOMAIN short AS text");
    everywhere(
        "CREATE TABLE users (tenant_id bigint, user_id bigint, email short, PRIMARY KEY"
            + " (tenant_id, user_id), UNIQUE (tenant_id, email))",
        "ALTER TABLE users REPLICA IDENTITY FULL");
    assertThat(check())
        .singleElement()
        .satisfies(f -> assertThat(f.message()).contains("short over character varying(40)"));
  }

  @Test
  void partitionsAreLookedAtOneByOne() throws SQLException {
    everywhere(
        "CREATE TABLE users (tenant_id bigint, user_id bigint, email text, PRIMARY KEY (tenant_id,"
            + " user_id), UNIQUE (tenant_id, email)) PARTITION BY LIST (tenant_id)",
        "ALTER TABLE users REPLICA IDENTITY FULL",
        "CREATE TABLE one PARTITION OF users FOR VALUES IN (1) PARTITION BY HASH (tenant_id)",
        "CREATE TABLE \"Leaf 1\" PARTITION OF one FOR VALUES WITH (MODULUS 1, REMAINDER 0)",
        "CREATE TABLE rest PARTITION OF users DEFAULT");
    assertThat(check())
        .singleElement()
        .satisfies(
            f -> {
              assertThat(f.id()).isEqualTo("gsi/replica-identity");
              assertThat(f.message()).contains("of public.\"Leaf 1\", public.rest does");
            });
    everywhere(
        "ALTER TABLE \"Leaf 1\" REPLICA IDENTITY FULL", "ALTER TABLE rest REPLICA IDENTITY FULL");
    assertThat(ids()).isEmpty();
    everywhere("ALTER TABLE rest SET UNLOGGED");
    assertThat(check())
        .allSatisfy(f -> assertThat(f.message()).contains("unlogged").endsWith("public.rest"))
        .hasSize(2);
  }

  @Test
  void aForeignPartitionHasRowsThatNoStreamShows() throws SQLException {
    everywhere(
        "CREATE TABLE users (tenant_id bigint, user_id bigint, email text) PARTITION BY LIST"
            + " (tenant_id)",
        "CREATE FOREIGN TABLE far PARTITION OF users DEFAULT SERVER nowhere");
    assertThat(ids()).contains("gsi/owner-storage");
  }

  // --- tools -----------------------------------------------------------------------------------

  private static void everywhere(String... statements) throws SQLException {
    for (ShardId shard : cluster.shards()) {
      Shards.asOwner(cluster, shard, statements);
    }
  }

  private static List<Finding> check() {
    return TopologyCheck.schemas(TOPOLOGY, new SchemaSurvey(connections).read(TOPOLOGY));
  }

  /** Each once, in the order in which they come. */
  private static String ids() {
    return String.join(" ", check().stream().map(Finding::id).distinct().toList());
  }

  private static TableSchema users() throws SQLException {
    try (Connection connection = connections.open(Shards.A, "app")) {
      return Objects.requireNonNull(SchemaReader.read(connection, List.of(USERS)).get(USERS));
    }
  }
}
