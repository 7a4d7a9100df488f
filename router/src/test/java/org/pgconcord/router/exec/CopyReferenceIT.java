package org.pgconcord.router.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.pgconcord.router.exec.CopyRig.attempt;
import static org.pgconcord.router.exec.CopyRig.in;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.value.ShardId;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyIn;

/** COPY into a reference table: all copies have the rows that one server has, or none has any. */
class CopyReferenceIT {
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
  void everyCopyHasTheRowsThatOneServerHas() throws Exception {
    for (String mode : List.of("multi", "atomic")) {
      for (String format : List.of("", "CSV HEADER", "BINARY")) {
        rig.empty();
        ByteArrayOutputStream data = new ByteArrayOutputStream();
        rig.plain
            .unwrap(PGConnection.class)
            .getCopyAPI()
            .copyOut(
                "COPY (SELECT ('c' || i %% 7)::char(2) AS code, i / 3.0::float8 AS rate, ('l' || i %% 8)::some_text AS label, E'n\\t' || i AS note FROM generate_series(1, 2500) i) TO STDOUT %s"
                    .formatted(format),
                data);
        String sql = "COPY rates (code, rate, label, note) FROM STDIN " + format;
        try (Connection client = rig.router.connect("extended")) {
          DeclaredRouter.rows(client, "SET pgconcord.tx_mode = " + mode);
          assertThat(in(client, sql, data.toByteArray()))
              .isEqualTo(in(rig.plain, sql, data.toByteArray()))
              .isEqualTo(2_500);
        }
        allAreAsOneServers(mode + " " + format);
      }
    }
  }

  private static void allAreAsOneServers(String what) throws SQLException {
    rig.copiesAreEqual(what);
    assertThat(onLeader()).as(what).isEqualTo(rig.expected("rates"));
  }

  private static List<String> onLeader() throws SQLException {
    return rig.router.direct(rig.shards.get(0), "SELECT t::text FROM public.rates t").stream()
        .sorted()
        .toList();
  }

  @Test
  void defaultsAndNumbersAreTheSameOnEveryCopy() throws Exception {
    try (Connection client = rig.router.connect("simple")) {
      for (String data : List.of("FI\ta\nFR\tb\n", "DE\t\\N\n", "")) {
        String sql = "COPY rates (code, note) FROM STDIN";
        assertThat(attempt(client, sql, bytes(data)))
            .isEqualTo(attempt(rig.plain, sql, bytes(data)));
      }
      String given = "COPY rates (id, code) FROM STDIN";
      assertThat(attempt(client, given, bytes("77\tAX\n")))
          .isEqualTo(attempt(rig.plain, given, bytes("77\tAX\n")));
      allAreAsOneServers("defaults");
    }
  }

  @Test
  void anErrorLeavesEveryCopyAsItWas() throws Exception {
    try (Connection client = rig.router.connect("extended")) {
      for (Connection each : List.of(client, rig.plain)) {
        in(each, "COPY rates (code, note) FROM STDIN", bytes("FI\ta\n"));
      }
      for (String bad :
          List.of("FI\ta\n", "FR\tx\nFR\tx\n", "FRA\ty\n", "\\N\ty\n", "FR\n", "FR\ty\tz\n")) {
        String sql = "COPY rates (code, note) FROM STDIN";
        byte[] data = bytes("SE\ts\n" + bad);
        assertThat(attempt(client, sql, data)).as(bad).isEqualTo(attempt(rig.plain, sql, data));
        assertThat(onLeader()).as(bad).hasSize(1);
        rig.copiesAreEqual(bad);
      }
      CopyIn copy =
          client
              .unwrap(PGConnection.class)
              .getCopyAPI()
              .copyIn("COPY rates (code, note) FROM STDIN");
      byte[] data = bytes("SE\ts\n".repeat(1));
      copy.writeToCopy(data, 0, data.length);
      copy.cancelCopy();
      assertThat(onLeader()).hasSize(1);
      DeclaredRouter.rows(client, "SET default_transaction_isolation = 'repeatable read'");
      assertThat(attempt(client, "COPY rates (code) FROM STDIN", bytes("SE\n"))).isEqualTo("0A000");
    }
  }

  @Test
  void aRowThatOnlyAnotherCopyHasIsMetBeforeAnythingCommits() throws Exception {
    ShardId other = rig.shards.get(2);
    rig.router.direct(
        other,
        "INSERT INTO public.rates (id, code, note) OVERRIDING SYSTEM VALUE VALUES (900, 'FI', 'a')");
    try (Connection client = rig.router.connect("extended")) {
      SQLException error =
          catchThrowableOfType(
              SQLException.class,
              () -> in(client, "COPY rates (code, note) FROM STDIN", bytes("SE\ta\nFI\ta\n")));
      assertThat(error.getMessage()).contains("shard-c");
      assertThat(onLeader()).isEmpty();
    }
  }

  @Test
  void copiesThatCrossTakeTurns() throws Exception {
    List<CompletableFuture<Void>> writers = new ArrayList<>();
    for (int w = 0; w < 4; w++) {
      int writer = w;
      writers.add(
          CompletableFuture.runAsync(
              () -> {
                try (Connection client = rig.router.connect("extended")) {
                  for (int i = 0; i < 5; i++) {
                    StringBuilder data = new StringBuilder();
                    for (int row = 0; row < 40; row++) {
                      data.append("X%d\tw%d-%d-%d\n".formatted(writer, writer, i, row));
                    }
                    in(client, "COPY rates (code, note) FROM STDIN", bytes(data.toString()));
                  }
                } catch (Exception e) {
                  throw new IllegalStateException(e);
                }
              }));
    }
    writers.forEach(CompletableFuture::join);
    assertThat(onLeader()).hasSize(800);
    rig.copiesAreEqual("crossing");
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
