package org.pgconcord.router.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.pgconcord.router.exec.WholeServer.answer;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The 22 queries of TPC-H over three shards answer as one server with all rows does. */
class TpchIT {
  @Test
  void queriesAnswerAsOneServer() throws SQLException, IOException {
    compare(0.001);
  }

  @Tag("long")
  @Test
  void queriesOverMoreRowsAnswerAsOneServer() throws SQLException, IOException {
    compare(0.01);
  }

  private static void compare(double scale) throws SQLException, IOException {
    List<String> queries = WholeServer.resource("/tpch/queries.sql");
    assertThat(queries).hasSize(22);
    List<String> wrong = new ArrayList<>();
    int empty = 0;
    StringBuilder times = new StringBuilder();
    try (TpchServer server = new TpchServer(scale);
        Connection client = server.router.connect("extended")) {
      for (String query : queries) {
        long start = System.nanoTime();
        String expected = answer(server.whole, query);
        long middle = System.nanoTime();
        String found = answer(client, query);
        times.append(
            " %d/%d"
                .formatted((System.nanoTime() - middle) / 1_000_000, (middle - start) / 1_000_000));
        empty += expected.endsWith(" []") ? 1 : 0;
        if (!found.equals(expected)) {
          wrong.add(query + "\n  one server: " + expected + "\n  router:     " + found);
        }
      }
    }
    System.out.printf(
        "suite tpc-h scale=%s count=%d wrong=%d empty=%d milliseconds(router/one server)=%s%n",
        scale, queries.size(), wrong.size(), empty, times);
    assertThat(wrong).isEmpty();
    assertThat(empty).isLessThan(11);
  }
}
