package org.pgconcord.daemon.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.sharding.ShardLocator;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.testkit.cluster.ClusterSettings;
import org.pgconcord.testkit.cluster.sample.SampleTopology;
import org.pgconcord.testkit.invariant.IndexUnderTest;
import org.pgconcord.testkit.invariant.InvariantChecker;

/**
 * The life of an index whose lookup table is spread over the owner's shards by the hash of the
 * email: some entries are on their rows' own servers, most are not.
 */
class ShardedLookupIT {
  private static final Duration AUDIT = Duration.ofSeconds(30);
  private static final String REMOVE = "DELETE FROM users_by_email WHERE (email, tenant_id) = (%s)";
  private static final String WRITE = "INSERT INTO users_by_email (email, tenant_id) VALUES (%s)";
  private static final String GIVE_AWAY =
      "UPDATE users_by_email SET tenant_id = tenant_id + 1 WHERE (email, tenant_id) = (%s)";

  // --- a life ----------------------------------------------------------------------------------

  @Test
  void fromDeclaredToEnabledAndBackOverFourShardsUnderWriters() throws Exception {
    Suite suite = Suite.begin("sharded lookup life", 1);
    try (SampleSystem system = start(4, 4_000, suite.seed());
        DaemonProcess daemon = system.startDaemon()) {
      InvariantChecker checker = checker(system);
      Gsi gsi = new Gsi(daemon);
      try (Writers writers =
          new Writers(10_000_000)
              .throughRouter(system, 2, suite.seed())
              .onShards(system.cluster(), 1, suite.seed())) {
        assertThat(gsi.build().path("state").asText()).isEqualTo("tailing");
        assertThat(gsi.verifyAndEnable().path("state").asText()).isEqualTo("enabled");
        JsonNode report = gsi.verify();
        assertThat(report.path("clean").asBoolean()).as("%s", report).isTrue();
        writers.stop();
        assertThat(writers.changes()).isPositive();
        assertThat(writers.reads()).isPositive();
      }
      checker.awaitNone(AUDIT);
      eachShardHasEntries(system);
      showsTheShardOfAKey(system);
      findsWhatIsWrongOnEachShard(system, gsi, 6);
      checker.awaitNone(AUDIT);
      assertThat(gsi.disable().path("state").asText()).isEqualTo("tailing");
      try (Writers writers = new Writers(20_000_000).onShards(system.cluster(), 1, suite.seed())) {
        while (writers.changes() < 50) {
          LockSupport.parkNanos(1_000_000);
        }
        writers.stop();
      }
      checker.awaitNone(AUDIT);
      findsWhatIsWrongOnEachShard(system, gsi, 0);
      assertThat(gsi.build().path("report").path("clean").asBoolean()).isTrue();
      checker.awaitNone(AUDIT);
    }
  }

  private static SampleSystem start(int shards, long rows, long seed) throws Exception {
    SampleSystem system = SampleSystem.start(ClusterSettings.of(shards), rows, seed);
    Files.writeString(
        system.topologyFile(),
        SampleTopology.withShardedLookup(Files.readString(system.topologyFile())));
    return system;
  }

  private static InvariantChecker checker(SampleSystem system) {
    return new InvariantChecker(
        IndexUnderTest.shardedByEmail(system.cluster().shards()), system.cluster()::asService);
  }

  private static void eachShardHasEntries(SampleSystem system) throws SQLException {
    for (ShardId shard : system.cluster().shards()) {
      assertThat(entries(system, shard, "true")).as(shard.uid()).isGreaterThan(100);
    }
  }

  private static void showsTheShardOfAKey(SampleSystem system) throws SQLException {
    ShardLocator home = SampleTopology.lookupLocator(system.cluster().shards());
    try (Connection router = system.router()) {
      for (String email : List.of("a@x.example", "b@x.example", "c@x.example")) {
        assertThat(
                texts(
                    router,
                    "EXPLAIN (ROUTER) SELECT name FROM users WHERE email = '" + email + "'"))
            .anyMatch(line -> line.contains("users_by_email on " + home.locate(email) + " by"));
      }
    }
  }

  /**
   * On each lookup shard one entry is removed, one made up, one given to another tenant, one moved
   * to another lookup shard, and one written there besides.
   *
   * @param repaired how many of them {@code verify} mends: in {@code tailing} a build does
   */
  private static void findsWhatIsWrongOnEachShard(SampleSystem system, Gsi gsi, int repaired)
      throws Exception {
    List<ShardId> shards = system.cluster().shards();
    ShardLocator home = SampleTopology.lookupLocator(shards);
    for (int i = 0; i < shards.size(); i++) {
      ShardId shard = shards.get(i);
      ShardId other = shards.get((i + 1) % shards.size());
      String madeUp = emailOn(home, shard, "nobody");
      try (Connection here = system.cluster().asService(shard);
          Connection there = system.cluster().asService(other)) {
        List<String> some =
            texts(
                here,
                "SELECT quote_literal(email) || ', ' || tenant_id FROM users_by_email"
                    + " WHERE email NOT LIKE 'nobody%' LIMIT 4");
        execute(here, REMOVE.formatted(some.get(0)));
        execute(here, WRITE.formatted("'" + madeUp + "', 1"));
        execute(here, GIVE_AWAY.formatted(some.get(1)));
        execute(here, REMOVE.formatted(some.get(2)));
        execute(there, WRITE.formatted(some.get(2)));
        execute(there, WRITE.formatted(some.get(3)));
      }
    }
    JsonNode report = gsi.verify();
    JsonNode counts = report.path("counts");
    int each = shards.size();
    assertThat(report.path("clean").asBoolean()).isFalse();
    assertThat(counts.path("missing").asInt()).as("%s", report).isEqualTo(2 * each);
    assertThat(counts.path("wrong_owner").asInt()).as("%s", report).isEqualTo(each);
    assertThat(counts.path("surplus").asInt()).as("%s", report).isEqualTo(3 * each);
    assertThat(report.path("samples").findValuesAsText("entry"))
        .anyMatch(entry -> entry.contains("on lookup shard"));
    assertThat(report.path("repaired").asInt()).as("%s", report).isEqualTo(repaired * each);
    if (repaired > 0) {
      JsonNode after = gsi.verify();
      assertThat(after.path("clean").asBoolean()).as("%s", after).isTrue();
    }
  }

  private static String emailOn(ShardLocator home, ShardId shard, String name) {
    for (int i = 0; ; i++) {
      String email = name + i + "@astray.example";
      if (home.locate(email).equals(shard)) {
        return email;
      }
    }
  }

  // --- kills -----------------------------------------------------------------------------------

  @Test
  @Tag("long")
  void fortyKillsOfABuild() throws Exception {
    killBuilds(Suite.begin("sharded lookup kill build", 40));
  }

  /** At moments spread over a build, so that it is cut in every phase. */
  private static void killBuilds(Suite suite) throws Exception {
    Random random = new Random(suite.seed());
    try (SampleSystem system = start(2, 8_000, suite.seed())) {
      long begin = System.nanoTime();
      try (DaemonProcess daemon = system.startDaemon()) {
        begin = System.nanoTime();
        new Gsi(daemon).build();
      }
      long nanos = System.nanoTime() - begin;
      for (int i = 0; i < suite.count(); i++) {
        system.forget();
        long moment = (long) ((i + random.nextDouble()) / suite.count() * nanos);
        try (Writers writers =
            new Writers(10_000_000L * (i + 2)).onShards(system.cluster(), 1, suite.seed() + i)) {
          try (DaemonProcess daemon = system.startDaemon()) {
            new Gsi(daemon).startBuild();
            LockSupport.parkNanos(moment);
            daemon.kill();
          }
          String what = "killed " + TimeUnit.NANOSECONDS.toMillis(moment) + " ms into build " + i;
          try (DaemonProcess daemon = system.startDaemon()) {
            Gsi gsi = new Gsi(daemon);
            gsi.awaitIdle();
            if (gsi.state().equals("declared")) {
              gsi.build();
            }
            assertThat(gsi.verify().path("clean").asBoolean()).as(what).isTrue();
            writers.stop();
            checker(system).awaitNone(AUDIT);
          }
        }
      }
    }
  }

  // --- owners under other shard indexes --------------------------------------------------------

  @Test
  void anOwnerUnderARangeIndex() throws Exception {
    life(
        "owner by range",
        "{ \"type\": \"range\", \"columns\": [\"tenant_id\"] }",
        "{ \"shard_uid\": \"shard-a\", \"end\": \"1f4\" },"
            + " { \"shard_uid\": \"shard-b\", \"start\": \"1f4\" }");
  }

  @Test
  @Tag("long")
  void anOwnerUnderAModuloIndex() throws Exception {
    life(
        "owner by modulo",
        "{ \"type\": \"modulo\", \"columns\": [\"tenant_id\"],"
            + " \"index_params\": { \"modulus\": 5 } }",
        "{ \"shard_uid\": \"shard-a\", \"end\": \"2\" },"
            + " { \"shard_uid\": \"shard-b\", \"start\": \"2\" }");
  }

  /** Its rows come through the router alone, which knows where they belong. */
  private static void life(String name, String index, String ranges) throws Exception {
    Suite suite = Suite.begin(name, 1);
    try (SampleSystem system = SampleSystem.start(0, suite.seed())) {
      String document = SampleTopology.withShardedLookup(Files.readString(system.topologyFile()));
      Files.writeString(
          system.topologyFile(),
          document
              .replace(
                  "\"xxhash_tenant_id\": { \"type\": \"xxhash\", \"columns\": [\"tenant_id\"] }",
                  "\"by_tenant\": " + index)
              .replace("\"xxhash_tenant_id\"", "\"by_tenant\"")
              .replace(
                  "\"shard_group\": \"tenant_data\", \"shard_index\": \"xxhash_email\"",
                  "\"shard_group\": \"emails\"")
              .replace(
                  "\"shard_groups\": [\n",
                  "\"shard_groups\": [ { \"uid\": \"emails\", \"default_shard_index\":"
                      + " \"xxhash_email\", \"key_ranges\": [ { \"shard_uid\": \"shard-a\","
                      + " \"end\": \"80\" }, { \"shard_uid\": \"shard-b\", \"start\": \"80\" } ]"
                      + " },\n")
              .replaceFirst(
                  "(?s)(\"default_shard_index\": \"by_tenant\",\\s*\"key_ranges\": \\[).*?\\]",
                  "$1 " + ranges + " ]"));
      try (DaemonProcess daemon = system.startDaemon();
          Writers writers = new Writers(10_000_000).throughRouter(system, 2, suite.seed())) {
        Gsi gsi = new Gsi(daemon);
        gsi.build();
        assertThat(gsi.verifyAndEnable().path("state").asText()).isEqualTo("enabled");
        long before = writers.reads();
        while (writers.reads() < before + 100) {
          LockSupport.parkNanos(1_000_000);
        }
        writers.stop();
        JsonNode report = gsi.verify();
        assertThat(report.path("clean").asBoolean()).as("%s", report).isTrue();
        refusesTheSameEmailElsewhere(system);
        checker(system).awaitNone(AUDIT);
        for (ShardId shard : system.cluster().shards()) {
          assertThat(rows(system, shard)).as("rows on " + shard).isPositive();
          assertThat(entries(system, shard, "true")).as("entries on " + shard).isPositive();
        }
      }
    }
  }

  private static void refusesTheSameEmailElsewhere(SampleSystem system) throws SQLException {
    try (Connection router = system.router()) {
      String insert =
          "INSERT INTO users (tenant_id, user_id, email) VALUES (%d, 1, 'one@owners.example')";
      execute(router, insert.formatted(1));
      for (int tenant = 2; tenant <= 900; tenant += 97) {
        String again = insert.formatted(tenant);
        assertThatThrownBy(() -> execute(router, again)).hasMessageContaining("duplicate key");
      }
      assertThat(texts(router, "SELECT tenant_id FROM users WHERE email = 'one@owners.example'"))
          .containsExactly("1");
    }
  }

  // --- tools -----------------------------------------------------------------------------------

  private static long rows(SampleSystem system, ShardId shard) throws SQLException {
    try (Connection owner = system.cluster().asService(shard)) {
      return Long.parseLong(texts(owner, "SELECT count(*) FROM users").get(0));
    }
  }

  private static long entries(SampleSystem system, ShardId shard, String where)
      throws SQLException {
    try (Connection lookup = system.cluster().asService(shard)) {
      return Long.parseLong(
          texts(lookup, "SELECT count(*) FROM users_by_email WHERE " + where).get(0));
    }
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static List<String> texts(Connection connection, String sql) throws SQLException {
    List<String> texts = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      while (row.next()) {
        texts.add(row.getString(1));
      }
    }
    return texts;
  }
}
