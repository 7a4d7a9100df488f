package org.pgconcord.daemon.cli.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.pgconcord.testkit.cluster.ShardCluster;

final class SqlCommandIT {
  @Test
  void resultsAreAlignedAndErrorsHaveTheirFields() throws SQLException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
    try (ShardCluster cluster = ShardCluster.start(1);
        Connection connection = cluster.asOwner(cluster.shards().get(0))) {
      SqlSession session = new SqlSession(connection, out, out);

      assertThat(
              session.run(
                  "CREATE TABLE t (id int PRIMARY KEY, word text);"
                      + "INSERT INTO t VALUES (1, 'é'), (20, null); SELECT * FROM t ORDER BY id"))
          .isTrue();
      assertThat(session.run("INSERT INTO t VALUES (1, 'again')")).isFalse();
    }
    assertThat(bytes.toString(StandardCharsets.UTF_8))
        .isEqualTo(
            """
            done
            done, 2 rows
             id | word
            ----+------
              1 | é
             20 |
            (2 rows)

            ERROR:  duplicate key value violates unique constraint "t_pkey" (23505)
            DETAIL:  Key (id)=(1) already exists.
            """);
  }
}
