package org.pgconcord.daemon.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.catalog.RoutingState;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.topology.TopologyReader;

/** Plans by two files, with nothing running. */
class StatementPlansTest {
  private static final String SCHEMA =
      """
      CREATE TABLE users (tenant_id bigint, user_id bigint, email text NOT NULL, name text,
        PRIMARY KEY (tenant_id, user_id));
      CREATE TABLE countries (code char(2) PRIMARY KEY, name text);
      """;

  @Test
  void plansAStatement() throws IOException {
    assertThat(explain("SELECT * FROM users WHERE tenant_id = 5"))
        .startsWith("Route: one shard, by shard key", "  Shard: shard-b");
    assertThat(explain("SELECT * FROM users WHERE email = 'a'"))
        .contains("  Why: index app.by_email: its state is declared");
  }

  @Test
  void anExplainKeepsItsFormat() throws IOException {
    List<String> rows = explain("EXPLAIN (ROUTER, FORMAT JSON) SELECT * FROM users");
    assertThat(rows).hasSize(1);
    assertThat(new ObjectMapper().readTree(rows.get(0)).findValuesAsText("Kind"))
        .containsExactly("scatter");
  }

  @Test
  void whatCannotBePlannedIsAnErrorWithItsCode() {
    assertThatThrownBy(() -> explain(" -- nothing"))
        .isInstanceOfSatisfying(
            ConcordException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.SQL_SYNTAX));
    assertThatThrownBy(() -> StatementPlans.explain(state(SCHEMA), "ap", "SELECT 1"))
        .hasMessageContaining("the topology has no database \"ap\" (did you mean \"app\"?)");
    assertThatThrownBy(() -> state("-- CREATE TABLE users (a int)"))
        .isInstanceOfSatisfying(
            ConcordException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CONFIG_INVALID));
  }

  private static List<String> explain(String sql) throws IOException {
    return StatementPlans.explain(state(SCHEMA), "", sql);
  }

  private static RoutingState state(String schema) throws IOException {
    String document = Files.readString(Path.of("../docs/examples/app.json"));
    return StatementPlans.offline(TopologyReader.read(document).orThrow(), schema);
  }
}
