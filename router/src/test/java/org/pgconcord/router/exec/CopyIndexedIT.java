package org.pgconcord.router.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;
import static org.pgconcord.router.exec.CopyRig.attempt;
import static org.pgconcord.router.exec.CopyRig.in;
import static org.pgconcord.router.exec.CopyRig.items;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.value.ShardId;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyIn;
import org.postgresql.util.PSQLException;

/** COPY into the owner of indexes and into a referrer, beside the same COPY on one server. */
class CopyIndexedIT {
  private static final String SOME = "COPY items (tenant_id, item_id, code, note) FROM STDIN";

  private static CopyRig rig;

  @BeforeAll
  static void start() throws SQLException {
    rig = new CopyRig();
  }

  @AfterAll
  static void stop() {
    rig.close();
  }

  @BeforeEach
  void empty() throws SQLException {
    rig.empty();
  }

  @Test
  void rowsAreStoredAsOneServerStoresThem() throws Exception {
    for (String mode : List.of("multi", "atomic")) {
      for (String format :
          mode.equals("atomic")
              ? List.of("BINARY")
              : List.of(
                  "",
                  "CSV HEADER",
                  "BINARY",
                  "WITH (FORMAT csv, HEADER match, DELIMITER E'\\x01', NULL 'x', QUOTE '''')",
                  "WITH (DELIMITER '|', NULL '')")) {
        rig.empty();
        byte[] data = made(1_100, format.replace("match", ""));
        try (Connection client = rig.router.connect("extended")) {
          DeclaredRouter.rows(client, "SET pgconcord.tx_mode = " + mode);
          assertThat(in(client, "COPY items FROM STDIN " + format, data))
              .isEqualTo(in(rig.plain, "COPY items FROM STDIN " + format, data))
              .isEqualTo(990);
        }
        assertThat(rig.stored("items")).as(format).isEqualTo(rig.expected("items"));
        rig.indexesAreTrue(mode + " " + format);
      }
    }
  }

  /** Rows of every type; every tenth is left out by the trigger. */
  private static byte[] made(int rows, String format) throws SQLException, IOException {
    ByteArrayOutputStream data = new ByteArrayOutputStream();
    rig.plain
        .unwrap(PGConnection.class)
        .getCopyAPI()
        .copyOut(
            """
            COPY (SELECT i %% 6 AS tenant_id, i::bigint AS item_id, ('c' || i)::varchar(8) AS code,
              (CASE WHEN i %% 3 > 0 THEN 's' || i %% 50 END)::char(3) AS shade,
              ('l' || i %% 9)::some_text AS label, (i %% 900 / 7.0)::numeric(6, 2) AS price,
              '2021-01-01 UTC'::timestamptz + i * interval '1 s' AS made,
              CASE WHEN i %% 4 > 0 THEN ARRAY['a', 'b"' , NULL]::varchar(4)[] END AS tags,
              ('{"i": ' || i || '}')::jsonb AS doc,
              (ARRAY['fine', 'so so', NULL])[1 + i %% 3]::mood AS feeling, i::bit(3) AS flags,
              i * interval '1 day 2 min' AS span, decode(lpad(i::text, 6, '0'), 'hex') AS raw,
              ROW(i, E'x\\t,"é' || i)::pair AS both_parts,
              CASE i %% 10 WHEN 0 THEN 'skip' WHEN 1 THEN 'shade q' || i %% 7
                ELSE E'some\\n|''"\\\\' || i END AS note
            FROM generate_series(1, %d) i) TO STDOUT %s"""
                .formatted(rows, format),
            data);
    return data.toByteArray();
  }

  @Test
  void oddRowsEndAsOnOneServer() throws Exception {
    oddRows(40);
  }

  @Test
  @Tag("long")
  void twoThousandOddCopiesEndAsOnOneServer() throws Exception {
    oddRows(2_000);
  }

  private static void oddRows(int rounds) throws Exception {
    long seed = Long.getLong("pgconcord.seed", new Random().nextLong());
    System.out.println("indexed copy seed " + seed);
    Random random = new Random(seed);
    int taken = 0;
    int failed = 0;
    try (Connection client = rig.router.connect("extended")) {
      for (int round = 0; round < rounds; round++) {
        if (round % 5 == 0) {
          rig.empty();
        }
        String options =
            random.nextBoolean() ? " FROM STDIN" : " FROM STDIN CSV NULL '\\N' DELIMITER E'\\t'";
        boolean defaults = random.nextInt(3) == 0;
        String sql =
            "COPY items (price, tenant_id, shade, item_id, code, label, tags, flags, note)"
                + options;
        byte[] data = odd(random, defaults).getBytes(StandardCharsets.UTF_8);
        String expected = attempt(rig.plain, sql, data);
        String what =
            "seed %d round %d %s [%s]"
                .formatted(seed, round, sql, new String(data, StandardCharsets.UTF_8));
        assertThat(attempt(client, sql, data)).as(what).isEqualTo(expected);
        assertThat(rig.stored("items")).as(what).isEqualTo(rig.expected("items"));
        if (round % 5 == 4) {
          rig.indexesAreTrue(what);
        }
        taken += expected.length() < 5 ? 1 : 0;
        failed += expected.length() < 5 ? 0 : 1;
      }
    }
    assertThat(taken).isGreaterThan(rounds / 5);
    assertThat(failed).isGreaterThan(rounds / 8);
  }

  private static String odd(Random random, boolean mostly) {
    StringBuilder data = new StringBuilder();
    int rows = random.nextInt(7);
    // One fault at most: which of two an error tells of is not promised.
    int fault = mostly ? -1 : random.nextInt(12);
    for (int row = 0; row < rows; row++) {
      boolean here = row == rows - 1;
      String[] fields = {
        pick(random, "1", "2.345", "899.994", "\\N"),
        Integer.toString(random.nextInt(12)),
        pick(random, "red", "\\N", "r ", "r", ""),
        Integer.toString(random.nextInt(1_000_000)),
        "c" + random.nextInt(fault > 5 && random.nextInt(3) == 0 ? 8 : 1_000_000),
        pick(random, "short", "sixsix", "sixsix   ", "é"),
        pick(random, "{}", "{a,NULL}", "\\N", "{four}"),
        pick(random, "101", "\\N"),
        pick(random, "n", "skip", "shade xy", "\\N", " ")
      };
      if (here) {
        switch (fault) {
          case 0 -> fields[0] = pick(random, "x", "99999", "900");
          case 1 -> fields[2] = "long";
          case 2 -> fields[5] = pick(random, "bad", "\\N", "sevenseven");
          case 3 -> fields[6] = pick(random, "{", "{fives}");
          case 4 -> fields[7] = "10";
          case 5 -> fields[4] = pick(random, "\\N", "ninechars");
          default -> {}
        }
      }
      data.append(String.join("\t", fields)).append("\n");
    }
    return data.toString();
  }

  private static String pick(Random random, String... from) {
    return from[random.nextInt(from.length)];
  }

  @Test
  void errorsNameTheClientsLinesAndNothingStays() throws Exception {
    try (Connection client = rig.router.connect("extended")) {
      in(client, SOME, bytes("2\t7\ttaken\tn\n"));
      for (boolean block : List.of(false, true)) {
        client.setAutoCommit(!block);
        fails(client, "4\tx\tc3\tn", "22P02", "COPY items, line 3, column item_id: \"x\"");
        fails(client, "4\t3\tninechars\tn", "22001", "COPY items, line 3");
        fails(client, "4\t3", "22P04", "COPY items, line 3");
        fails(client, "4\t3\tc3\tn\tm", "22P04", "COPY items, line 3");
        fails(client, "0\t1\tc3\tn", "23505", "COPY items, lines 1 to 3");
        fails(client, "\\N\t3\tc3\tn", "23502", "");
        // The key of a row on another shard, and of one in the same data.
        assertThat(fails(client, "4\t3\ttaken\tn", "23505", "")).contains("app.by_code");
        assertThat(fails(client, "4\t3\tc1\tn", "23505", "")).contains("app.by_code");
        client.setAutoCommit(true);
      }
      assertThat(rig.stored("items")).hasSize(1);
      rig.indexesAreTrue("after errors");
      assertThat(attempt(client, "COPY items (tenant_id, nothing) FROM STDIN", bytes("")))
          .isEqualTo("42703");
      assertThat(attempt(client, "COPY items (tenant_id, loud) FROM STDIN", bytes("1\t2\n")))
          .isEqualTo("42P10");
      assertThat(attempt(client, "COPY items FROM STDIN (DELIMITER 'a')", bytes("1\t2\n")))
          .isEqualTo("22P04");
      assertThat(attempt(client, SOME + " CSV HEADER", bytes(""))).isEqualTo("0");
      assertThat(
              attempt(
                  client,
                  SOME + " (HEADER match)",
                  bytes("tenant_id\titem\tcode\tnote\n1\t2\t3\t4\n")))
          .isEqualTo("22P04");
      for (String refused : List.of(SOME + " FREEZE", SOME + " WHERE item_id > 5")) {
        assertThat(attempt(client, refused, bytes(""))).isEqualTo("0A000");
      }
    }
  }

  /** What the client hears when its third line is this. */
  private static String fails(Connection client, String third, String state, String where)
      throws SQLException {
    PSQLException error =
        catchThrowableOfType(
            PSQLException.class,
            () -> in(client, SOME, bytes("0\t1\tc1\tn\n2\t2\tc2\tn\n" + third + "\n")));
    assertThat(error.getSQLState()).as(third + ": " + error.getMessage()).isEqualTo(state);
    String given = String.valueOf(error.getServerErrorMessage().getWhere());
    assertThat(given).as(error.getMessage()).contains(where);
    if (!client.getAutoCommit()) {
      client.rollback();
    }
    return String.valueOf(error.getMessage());
  }

  @Test
  void defaultsMayBeAskedForRowByRow() throws Exception {
    byte[] data = bytes("0\t1\tc1\t5\n2\t2\tc2\t@\n4\t3\tc3\t7\n1\t4\tc4\t@\n");
    String sql = "COPY items (tenant_id, item_id, code, price) FROM STDIN (DEFAULT '@')";
    try (Connection client = rig.router.connect("simple")) {
      // Before PostgreSQL 16 the option is not known.
      assertThat(attempt(client, sql, data)).isEqualTo(attempt(rig.plain, sql, data));
      assertThat(rig.stored("items")).isEqualTo(rig.expected("items"));
      rig.indexesAreTrue("defaults");
    }
  }

  @Test
  void aReferrersRowsMustPointToMappings() throws Exception {
    try (Connection client = rig.router.connect("extended")) {
      for (Connection each : List.of(client, rig.plain)) {
        in(each, SOME, items(0, 60));
        String sql = "COPY orders FROM STDIN";
        assertThat(attempt(each, sql, bytes("1\t1\tc5\n2\t1\tc0\n5\t1\t\\N\n")))
            .isEqualTo(each == client ? "23502" : "3");
        assertThat(attempt(each, sql, bytes("1\t2\tc5\n2\t2\tc0\n"))).isEqualTo("2");
        assertThat(attempt(each, sql, bytes("1\t3\tc5\n2\t3\tc99\n"))).isEqualTo("23503");
      }
      assertThat(rig.stored("orders")).hasSize(2);
      assertThat(rig.router.unmapped()).isEmpty();
    }
  }

  /** Byte for byte what one server writes. */
  @Test
  void gatheredQueriesAreCopiedOut() throws Exception {
    try (Connection client = rig.router.connect("extended")) {
      for (Connection each : List.of(client, rig.plain)) {
        in(each, "COPY items FROM STDIN", made(300, ""));
        in(
            each,
            SOME,
            bytes("0\t9001\t\\\\.\t\\\\.\n1\t9002\tb\t\n2\t9003\t,\t\\N\n3\t9004\tn\tNULL\n"));
      }
      for (String format :
          List.of(
              "",
              "CSV HEADER",
              "BINARY",
              "(FORMAT csv, FORCE_QUOTE (note), NULL 'NULL', ESCAPE '\\')",
              "(FORMAT csv, FORCE_QUOTE *, DELIMITER ';', QUOTE '''')",
              "(DELIMITER ',', NULL 'NULL', HEADER)",
              "(DELIMITER 'a')",
              "(FORCE_QUOTE (note))",
              "(FORMAT csv, FORCE_QUOTE (nothing))")) {
        for (String query :
            List.of(
                "SELECT * FROM items ORDER BY item_id",
                "SELECT note FROM items ORDER BY item_id DESC LIMIT 7",
                "SELECT count(*), sum(price) AS total, max(made) FROM items -- all of them\n",
                "WITH q AS (SELECT shade, count(*) AS n FROM items GROUP BY 1) SELECT n, shade FROM q"
                    + " ORDER BY shade",
                "SELECT a.item_id, a.item_id FROM items a JOIN items b ON a.item_id = b.item_id + 1 ORDER"
                    + " BY 1 LIMIT 3",
                "SELECT * FROM items WHERE price < 0 ORDER BY 1",
                "SELECT 1 / (item_id - 9002) FROM items ORDER BY 1",
                "SELECT nothing FROM items ORDER BY 1")) {
          String sql = "COPY (" + query + ") TO STDOUT " + format;
          assertThat(written(client, sql)).as(sql).isEqualTo(written(rig.plain, sql));
        }
      }
      assertThat(DeclaredRouter.rows(client, "SELECT 1")).containsExactly("1");
    }
  }

  /** What a COPY writes, or the SQLSTATE. */
  private static String written(Connection client, String sql) throws IOException {
    ByteArrayOutputStream data = new ByteArrayOutputStream();
    try {
      long rows = client.unwrap(PGConnection.class).getCopyAPI().copyOut(sql, data);
      return rows + " " + data.toString(StandardCharsets.ISO_8859_1);
    } catch (SQLException e) {
      return String.valueOf(e.getSQLState());
    }
  }

  // --- what ends a COPY ------------------------------------------------------------------------

  @Test
  void theClientGivesUpOrGoesHalfWay() throws Exception {
    for (String mode : List.of("multi", "atomic")) {
      for (boolean block : List.of(false, true)) {
        for (boolean goes : List.of(false, true)) {
          Connection client = rig.router.connect("extended");
          DeclaredRouter.rows(client, "SET pgconcord.tx_mode = " + mode);
          client.setAutoCommit(!block);
          CopyIn copy = begun(client, 5_000);
          if (goes) {
            client.abort(Runnable::run);
          } else {
            copy.cancelCopy();
            client.setAutoCommit(true);
            assertThat(DeclaredRouter.rows(client, "SELECT 1")).containsExactly("1");
            client.close();
          }
          nothingIsLeft();
        }
      }
    }
  }

  private static CopyIn begun(Connection client, int rows) throws SQLException {
    CopyIn copy = client.unwrap(PGConnection.class).getCopyAPI().copyIn(SOME);
    byte[] data = items(0, rows);
    copy.writeToCopy(data, 0, data.length);
    copy.flushCopy();
    return copy;
  }

  private static void nothingIsLeft() {
    await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(
            () -> {
              for (ShardId shard : rig.shards) {
                assertThat(
                        rig.router.direct(
                            shard,
                            "SELECT query FROM pg_stat_activity WHERE backend_type = 'client"
                                + " backend' AND state LIKE 'idle in%'"))
                    .isEmpty();
              }
            });
    try {
      assertThat(rig.stored("items")).isEmpty();
      rig.indexesAreTrue("nothing is left");
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void aCancelAndATimeoutEndIt() throws Exception {
    try (Connection client = rig.router.connect("extended");
        Connection blocker = rig.router.cluster.asSuperuser(rig.shards.get(1))) {
      blocker.setAutoCommit(false);
      for (boolean waits : List.of(false, true)) {
        if (waits) {
          DeclaredRouter.rows(blocker, "LOCK TABLE public.items IN SHARE MODE");
        }
        CopyIn copy = begun(client, 3_000);
        client.unwrap(PGConnection.class).cancelQuery();
        SQLException error = catchThrowableOfType(SQLException.class, copy::endCopy);
        assertThat(error.getSQLState()).as(error.getMessage()).isEqualTo("57014");
        DeclaredRouter.rows(client, "SET statement_timeout = 300");
        CopyIn slow = begun(client, 3_000);
        await().pollDelay(Duration.ofMillis(500)).until(() -> true);
        SQLException timeout = catchThrowableOfType(SQLException.class, slow::endCopy);
        assertThat(timeout.getMessage()).contains("statement timeout");
        DeclaredRouter.rows(client, "SET statement_timeout = 0");
      }
      blocker.rollback();
      nothingIsLeft();
      assertThat(in(client, SOME, items(0, 10))).isEqualTo(9 + 1);
    }
  }

  @Test
  void aShardThatWaitsStopsTheClient() throws Exception {
    int rows = 12_000;
    try (Connection client = rig.router.connect("extended");
        Connection blocker = rig.router.cluster.asSuperuser(rig.shards.get(1))) {
      blocker.setAutoCommit(false);
      DeclaredRouter.rows(blocker, "LOCK TABLE public.items IN SHARE MODE");
      CopyIn copy =
          client
              .unwrap(PGConnection.class)
              .getCopyAPI()
              .copyIn("COPY items (tenant_id, item_id, code, note) FROM STDIN");
      AtomicLong sent = new AtomicLong();
      var writer =
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  for (int i = 0; i < rows; i++) {
                    byte[] row =
                        bytes("%d\t%d\tc%d\t%s\n".formatted(i % 6, i, i, "x".repeat(3_000)));
                    copy.writeToCopy(row, 0, row.length);
                    sent.addAndGet(row.length);
                  }
                  return copy.endCopy();
                } catch (SQLException e) {
                  throw new IllegalStateException(e);
                }
              });
      AtomicLong seen = new AtomicLong();
      await()
          .pollInterval(Duration.ofMillis(500))
          .atMost(Duration.ofSeconds(20))
          .until(() -> sent.get() > 100_000 && seen.getAndSet(sent.get()) == sent.get());
      assertThat(sent.get()).isLessThan(20_000_000);
      blocker.rollback();
      assertThat(writer.get(60, TimeUnit.SECONDS)).isEqualTo(rows);
      rig.indexesAreTrue("after it waited");
    }
  }

  @Test
  void itIsOneWithItsTransaction() throws Exception {
    try (Connection client = rig.router.connect("extended")) {
      client.setAutoCommit(false);
      DeclaredRouter.rows(
          client, "INSERT INTO items (tenant_id, item_id, code) VALUES (1, 1, 'a')");
      DeclaredRouter.rows(client, "SAVEPOINT s");
      in(client, SOME, bytes("0\t1\tb\tn\n3\t1\tc\tshade x\n"));
      DeclaredRouter.rows(client, "ROLLBACK TO s");
      in(client, SOME, bytes("5\t2\tb\tn\n3\t1\td\tshade x\n"));
      assertThat(DeclaredRouter.rows(client, "SELECT tenant_id FROM items WHERE code = 'b'"))
          .containsExactly("5");
      client.commit();
      client.setAutoCommit(true);
      assertThat(rig.stored("items")).hasSize(3);
      rig.indexesAreTrue("in a transaction");
      DeclaredRouter.rows(client, "SET pgconcord.tx_mode = single");
      assertThat(attempt(client, SOME, bytes("0\t9\te\tn\n3\t9\tf\tn\n"))).isEqualTo("0A000");
      assertThat(rig.stored("items")).hasSize(3);
    }
  }

  @Test
  void aShardKilledHalfWayLeavesNothing() throws Exception {
    for (String mode : List.of("multi", "atomic")) {
      try (Connection client = rig.router.connect("extended")) {
        DeclaredRouter.rows(client, "SET pgconcord.tx_mode = " + mode);
        CopyIn copy = begun(client, 5_000);
        rig.router.cluster.shard(rig.shards.get(2)).kill();
        SQLException error =
            catchThrowableOfType(
                SQLException.class,
                () -> {
                  byte[] data = items(5_000, 9_000);
                  copy.writeToCopy(data, 0, data.length);
                  copy.endCopy();
                });
        assertThat(error.getSQLState()).isNotNull();
      } finally {
        rig.router.cluster.shard(rig.shards.get(2)).start();
        rig.router.forget();
      }
      nothingIsLeft();
    }
  }

  @Test
  @Tag("long")
  void aHundredThousandRowsAreTaken() throws Exception {
    try (Connection client = rig.router.connect("extended")) {
      long begun = System.nanoTime();
      assertThat(in(client, SOME, items(0, 100_000))).isEqualTo(100_000);
      System.out.printf(
          "100,000 rows in %d ms%n", TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun));
      rig.indexesAreTrue("a hundred thousand");
      assertThat(attempt(client, SOME, items(200_000, 300_001))).isEqualTo("54000");
      assertThat(rig.stored("items")).hasSize(100_000);
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
