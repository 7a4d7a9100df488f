package org.pgconcord.router.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.pgconcord.router.exec.DeclaredRouter.rows;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgconcord.config.topology.KeyFunction;
import org.pgconcord.config.value.ShardId;

/**
 * Each kind of shard index over three shards: a row written through the router is where its key
 * says, reads by key find it there and nowhere else, and wide reads equal what the shards hold.
 */
class ShardIndexesIT {
  private static final long SEED = Long.getLong("pgconcord.seed", System.nanoTime());

  private static final String DOCUMENT =
      """
      {"authoritative_shard_group": "meta",
       "shard_indexes": {
         "zone": {"type": "range", "columns": ["zone_no"]},
         "slot": {"type": "modulo", "columns": ["slot_no"], "index_params": {"modulus": 12}},
         "room": {"type": "xxhash", "columns": ["building", "room"]},
         "mail": {"type": "xxhash", "columns": ["lower(mail)"]},
         "fare": {"type": "xxhash", "columns": ["price", "currency", "due"]}},
       "shard_groups": [
         {"uid": "meta", "key_ranges": [{"shard_uid": "shard-a"}]},
         {"uid": "hashed", "default_shard_index": "room", "key_ranges": [
           {"shard_uid": "shard-a", "end": "55"},
           {"shard_uid": "shard-b", "start": "55", "end": "aa"},
           {"shard_uid": "shard-c", "start": "aa"}]},
         {"uid": "zones", "default_shard_index": "zone", "key_ranges": [
           {"shard_uid": "shard-a", "end": "-64"},
           {"shard_uid": "shard-b", "start": "-64", "end": "64"},
           {"shard_uid": "shard-c", "start": "64", "end": "65"},
           {"shard_uid": "shard-b", "start": "65"}]},
         {"uid": "slots", "default_shard_index": "slot", "key_ranges": [
           {"shard_uid": "shard-a", "end": "3"},
           {"shard_uid": "shard-b", "start": "3", "end": "b"},
           {"shard_uid": "shard-c", "start": "b"}]}],
       "databases": {"app": {"schemas": {"public": {"tables": {
         "zones": {"shard_group": "zones"},
         "slots": {"shard_group": "slots"},
         "rooms": {"shard_group": "hashed"},
         "bookings": {"shard_group": "hashed"},
         "mails": {"shard_group": "hashed", "shard_index": "mail"},
         "fares": {"shard_group": "hashed", "shard_index": "fare"}}}}}}}
      """;

  private static final List<String> DDL =
      List.of(
          "CREATE TABLE zones (zone_no bigint PRIMARY KEY, name text)",
          "CREATE TABLE slots (slot_no integer PRIMARY KEY, name text)",
          "CREATE TABLE rooms (room varchar(20), building integer, seats int,"
              + " PRIMARY KEY (building, room))",
          "CREATE TABLE bookings (building bigint, room text, id int, who text,"
              + " PRIMARY KEY (building, room, id))",
          "CREATE TABLE mails (mail varchar(40) COLLATE \"C\" PRIMARY KEY)",
          "CREATE TABLE fares (price numeric(8,2), currency char(5), due date, label text,"
              + " PRIMARY KEY (price, currency, due))");

  private static DeclaredRouter router;

  @BeforeAll
  static void start() throws SQLException {
    System.out.println("ShardIndexesIT seed=" + SEED);
    router = new DeclaredRouter(3, DOCUMENT, DDL);
  }

  @AfterAll
  static void stop() {
    router.close();
  }

  private static void empty(String... tables) throws SQLException {
    for (ShardId shard : router.cluster.shards()) {
      for (String table : tables) {
        router.direct(shard, "TRUNCATE " + table);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"simple", "extended"})
  void integersLieInTheirRanges(String mode) throws SQLException {
    empty("zones");
    Random random = new Random(SEED);
    List<Long> keys = new ArrayList<>(List.of(-101L, -100L, -99L, 0L, 99L, 100L, 101L));
    keys.addAll(List.of(Long.MIN_VALUE, Long.MAX_VALUE));
    random.longs(30, -1000, 1000).filter(k -> !keys.contains(k)).distinct().forEach(keys::add);
    try (Connection client = router.connect(mode)) {
      for (long key : keys) {
        insert(client, "INSERT INTO zones VALUES (?, ?)", key, "z" + key);
        String expected = key < -100 ? "shard-a" : key == 100 ? "shard-c" : "shard-b";
        assertFound(client, "zones", "zone_no = " + key, expected);
      }
      assertWideReadsAgree(client, "SELECT name FROM zones");
      assertWideReadsAgree(client, "SELECT name FROM zones WHERE zone_no BETWEEN -500 AND 500");
      assertThat(rows(client, "UPDATE zones SET name = 'c' WHERE zone_no = 100 RETURNING name"))
          .containsExactly("c");
      assertThat(rows(client, "DELETE FROM zones WHERE zone_no = 100 RETURNING name"))
          .containsExactly("c");
      assertThat(router.holders("SELECT 1 FROM zones WHERE zone_no = 100")).isEmpty();
    }
  }

  /** Bounds of any form are answered as the shards together do, and not by more of them. */
  @ParameterizedTest
  @ValueSource(strings = {"simple", "extended"})
  void boundsAskTheShardsThatHaveSuchKeys(String mode) throws SQLException {
    empty("zones");
    Random random = new Random(SEED);
    List<Long> keys = new ArrayList<>(List.of(-102L, -101L, -100L, -99L, 0L, 98L, 99L, 100L, 101L));
    keys.addAll(List.of(Long.MIN_VALUE, Long.MAX_VALUE));
    try (Connection client = router.connect(mode)) {
      for (long key : keys) {
        insert(client, "INSERT INTO zones VALUES (?, ?)", key, "z" + key);
      }
      int narrowed = 0;
      for (int i = 0; i < 150; i++) {
        String where = bounds(random, keys);
        List<String> direct = new ArrayList<>();
        for (ShardId shard : router.cluster.shards()) {
          direct.addAll(router.direct(shard, "SELECT zone_no FROM zones WHERE " + where));
        }
        assertThat(rows(client, "SELECT zone_no FROM zones WHERE " + where))
            .as(where)
            .containsExactlyInAnyOrderElementsOf(direct);
        assertThat(rows(client, "SELECT count(*) FROM zones WHERE " + where))
            .as(where)
            .containsExactly(Integer.toString(direct.size()));
        String plan =
            String.join("\n", rows(client, "EXPLAIN (ROUTER) SELECT * FROM zones WHERE " + where));
        narrowed += plan.contains("shard-a, shard-b, shard-c") ? 0 : 1;
      }
      assertThat(narrowed).isGreaterThan(50);
    }
  }

  private static String bounds(Random random, List<Long> keys) {
    List<String> parts = new ArrayList<>();
    for (int i = random.nextInt(2); i >= 0; i--) {
      String a = bound(random, keys);
      String b = bound(random, keys);
      parts.add(
          switch (random.nextInt(6)) {
            case 0 -> "zone_no BETWEEN " + a + " AND " + b;
            case 1 -> a + List.of(" < ", " <= ", " > ", " >= ").get(random.nextInt(4)) + "zone_no";
            case 2 -> "zone_no NOT BETWEEN " + a + " AND " + b;
            case 3 -> "(zone_no > " + a + " OR zone_no = " + b + ")";
            default -> "zone_no" + List.of(" < ", " <= ", " > ", " >= ").get(random.nextInt(4)) + a;
          });
    }
    return String.join(" AND ", parts);
  }

  private static String bound(Random random, List<Long> keys) {
    long key = keys.get(random.nextInt(keys.size()));
    boolean small = Math.abs((double) key) < 1000;
    return switch (random.nextInt(7)) {
      case 0 -> small ? "(" + (key - 7) + " + 7)" : "'" + key + "'";
      case 1 -> small ? key + ".5" : Long.toString(key);
      case 2 -> "'" + key + "'";
      case 3 -> small ? "-(" + -key + ")" : "NULL";
      default -> Long.toString(key);
    };
  }

  @ParameterizedTest
  @ValueSource(strings = {"simple", "extended"})
  void integersLieInTheirBuckets(String mode) throws SQLException {
    empty("slots");
    try (Connection client = router.connect(mode)) {
      for (int key = -25; key <= 25; key++) {
        insert(client, "INSERT INTO slots VALUES (?, ?)", key, "s" + key);
        int bucket = Math.floorMod(key, 12);
        String expected = bucket < 3 ? "shard-a" : bucket < 11 ? "shard-b" : "shard-c";
        assertFound(client, "slots", "slot_no = " + key, expected);
      }
      assertWideReadsAgree(client, "SELECT name FROM slots");
      assertThat(rows(client, "SELECT name FROM slots WHERE slot_no IN (-1, 11, 23)"))
          .containsExactlyInAnyOrder("s-1", "s11", "s23");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"simple", "extended"})
  void keysOfSeveralColumnsAreFoundByAllOfThem(String mode) throws SQLException {
    empty("rooms", "bookings");
    Random random = new Random(SEED);
    List<String> used = new ArrayList<>();
    try (Connection client = router.connect(mode)) {
      for (int i = 0; i < 40; i++) {
        int building = random.nextInt(8);
        String room = "r" + i;
        insert(
            client,
            "INSERT INTO rooms (building, room, seats) VALUES (?, ?, ?)",
            building,
            room,
            i);
        insert(client, "INSERT INTO bookings VALUES (?, ?, 1, ?)", (long) building, room, "w" + i);
        String where = "building = %d AND room = '%s'".formatted(building, room);
        List<String> holders = router.holders("SELECT 1 FROM rooms WHERE " + where);
        assertThat(holders).hasSize(1);
        assertFound(client, "bookings", where, holders.get(0));
        assertFound(
            client,
            "rooms",
            "room = '%s' AND building = '%d'".formatted(room, building),
            holders.get(0));
        used.addAll(holders);
      }
      assertThat(used).contains("shard-a", "shard-b", "shard-c");
      assertWideReadsAgree(client, "SELECT room FROM rooms WHERE building = 3");
      assertWideReadsAgree(client, "SELECT room FROM rooms WHERE room IN ('r1', 'r2', 'r3')");
      assertThat(
              rows(
                  client,
                  "SELECT b.who FROM rooms r JOIN bookings b"
                      + " ON b.room = r.room AND b.building = r.building"))
          .hasSize(40);
    }
  }

  @Test
  void equalKeysInOtherSpellingsAreFound() throws SQLException {
    empty("fares");
    try (Connection client = router.connect("extended")) {
      for (int i = 0; i < 20; i++) {
        rows(
            client,
            "INSERT INTO fares VALUES (%d.5, 'EUR', '2026-11-%02d', 'f')".formatted(i, i + 1));
        String key = "price = %d.50 AND currency = 'EUR  ' AND due = '2026-11-%02d'";
        String found = key.formatted(i, i + 1);
        assertFound(
            client, "fares", found, router.holders("SELECT 1 FROM fares WHERE " + found).get(0));
      }
      assertThat(rows(client, "INSERT INTO fares VALUES (1.005, 'X', '2026-01-01', 'rounded')"))
          .isEmpty();
      assertThat(
              rows(
                  client,
                  "SELECT label FROM fares WHERE price = 1.01 AND currency = 'X' AND due = '2026-01-01'"))
          .containsExactly("rounded");
    }
  }

  /** The server's own lower() says which rows belong together. */
  @Test
  void textsThatAreEqualInLowerCaseLieTogether() throws SQLException {
    empty("mails");
    List<String> texts =
        List.of(
            "adam@x", "ADAM@X", "Adam@x", "İ", "i", "I", "ı", "ẞ", "ß", "SS", "ÄÖ", "äö", "K", "k",
            "\u212A", "Σ", "ς", "σ", "[", "{", "@", "`", "Z", "z", "");
    try (Connection client = router.connect("extended")) {
      for (String text : texts) {
        insert(client, "INSERT INTO mails VALUES (?)", text);
        String where = "mail = '" + text + "'";
        assertFound(
            client, "mails", where, router.holders("SELECT 1 FROM mails WHERE " + where).get(0));
      }
      assertWideReadsAgree(client, "SELECT mail FROM mails WHERE lower(mail) = 'adam@x'");
    }
    Map<String, String> shardOf = new HashMap<>();
    for (ShardId shard : router.cluster.shards()) {
      for (String lower : router.direct(shard, "SELECT DISTINCT lower(mail) FROM mails")) {
        assertThat(shardOf.putIfAbsent(lower, shard.uid())).as(lower).isNull();
      }
    }
    assertThat(shardOf.keySet())
        .containsExactlyInAnyOrderElementsOf(
            texts.stream().map(KeyFunction.LOWER::apply).distinct().toList());
  }

  @Test
  void changesNameTheWholeKeyAndLeaveItAlone() throws SQLException {
    empty("rooms");
    try (Connection client = router.connect("extended")) {
      for (int i = 0; i < 12; i++) {
        rows(client, "INSERT INTO rooms VALUES ('r%d', 1, 0)".formatted(i));
      }
      rows(client, "UPDATE rooms SET seats = 9 WHERE building = 1 AND room = 'r5'");
      assertThat(rows(client, "SELECT room FROM rooms WHERE seats = 9")).containsExactly("r5");
      rows(client, "DELETE FROM rooms WHERE room = 'r5' AND building = 1");
      assertThat(router.holders("SELECT 1 FROM rooms WHERE room = 'r5'")).isEmpty();
      rows(client, "UPDATE rooms SET seats = seats WHERE building = 1");
      rows(client, "DELETE FROM rooms WHERE room = 'nobody''s'");
      assertRefused(
          client, "UPDATE rooms SET room = 'x' WHERE building = 1 AND room = 'r4'", "room");
      assertRefused(client, "INSERT INTO rooms (building, seats) VALUES (1, 2)", "room");
      assertThat(rows(client, "SELECT room FROM rooms")).hasSize(11);
    }
  }

  private static void assertRefused(Connection client, String sql, String column) {
    assertThatThrownBy(() -> rows(client, sql))
        .as(sql)
        .isInstanceOfSatisfying(
            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("0A000"))
        .hasMessageContaining("\"" + column + "\"");
  }

  private static void insert(Connection client, String sql, Object... values) throws SQLException {
    try (PreparedStatement statement = client.prepareStatement(sql)) {
      for (int i = 0; i < values.length; i++) {
        statement.setObject(i + 1, values[i]);
      }
      assertThat(statement.executeUpdate()).isEqualTo(1);
    }
  }

  /** The row is on one shard, and a read by key goes to that shard and finds it. */
  private static void assertFound(Connection client, String table, String where, String shard)
      throws SQLException {
    String query = "SELECT 1 FROM %s WHERE %s".formatted(table, where);
    assertThat(router.holders(query)).as(where).containsExactly(shard);
    assertThat(rows(client, query)).as(where).containsExactly("1");
    assertThat(String.join("\n", rows(client, "EXPLAIN (ROUTER) " + query)))
        .contains("Route: one shard, by shard key")
        .contains("Shard: " + shard);
  }

  private static void assertWideReadsAgree(Connection client, String query) throws SQLException {
    List<String> direct = new ArrayList<>();
    for (ShardId shard : router.cluster.shards()) {
      direct.addAll(router.direct(shard, query));
    }
    assertThat(rows(client, query)).containsExactlyInAnyOrderElementsOf(direct);
    assertThat(direct).isNotEmpty();
    try (PreparedStatement plan = client.prepareStatement("EXPLAIN (ROUTER) " + query);
        ResultSet first = plan.executeQuery()) {
      assertThat(first.next()).isTrue();
      assertThat(first.getString(1).toLowerCase(Locale.ROOT)).contains("scatter");
    }
  }
}
