package org.pgconcord.router.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.catalog.GsiState;
import org.pgconcord.router.sql.StatementText;

class RowSplitTest {
  private static final int ROWS = 10_000;
  private static final PlanContext CONTEXT =
      PlanFixture.context(GsiState.ENABLED, List.of("public"), false, "");

  private static Plan.InsertInParts plan(StatementPlanner planner, String sql) {
    Plan.Write write = (Plan.Write) planner.plan(StatementText.one(sql), CONTEXT).plan();
    return (Plan.InsertInParts) write.otherwise();
  }

  @Test
  void everyRowGoesToOneShardInItsOrder() {
    String sql =
        "INSERT INTO orders (tenant_id, order_id) VALUES "
            + IntStream.range(0, ROWS)
                .mapToObj(i -> "(" + i + ", (" + i + "))")
                .collect(Collectors.joining(", "))
            + " RETURNING order_id";
    Plan.InsertInParts plan = plan(new StatementPlanner(), sql);
    List<RowSplit.Part> parts = plan.rows().parts(StatementText.one(sql), Parameters.NONE, "");
    assertThat(parts).hasSize(2);
    assertThat(parts.stream().flatMap(p -> p.rows().stream()))
        .hasSize(ROWS)
        .doesNotHaveDuplicates();
    for (RowSplit.Part part : parts) {
      int first = part.rows().get(0);
      assertThat(part.rows()).isSorted();
      assertThat(part.sql())
          .startsWith(
              "INSERT INTO orders (tenant_id, order_id) VALUES (%d, (%d))".formatted(first, first))
          .endsWith(" RETURNING order_id");
    }
  }

  @Test
  void thousandsOfParametersArePlannedInOneGo() {
    String sql =
        "INSERT INTO orders (tenant_id, order_id) VALUES "
            + IntStream.range(0, ROWS)
                .mapToObj(i -> "($" + (2 * i + 1) + ", $" + (2 * i + 2) + ")")
                .collect(Collectors.joining(", "));
    Plan.InsertInParts plan = plan(new StatementPlanner(), sql);
    assertThat(plan.rows().rows()).hasSize(ROWS);
    assertThat(plan.rows().parts(StatementText.one(sql), counting(), "")).hasSize(2);
  }

  @Test
  void aLongStatementIsPlannedOnce() {
    StatementPlanner planner = new StatementPlanner();
    String thousand =
        "INSERT INTO orders (tenant_id, order_id) VALUES "
            + IntStream.range(0, 500)
                .mapToObj(i -> "($" + (2 * i + 1) + ", $" + (2 * i + 2) + ")")
                .collect(Collectors.joining(", "));
    assertThat(plan(planner, thousand)).isSameAs(plan(planner, thousand));
    String rows = "INSERT INTO orders (tenant_id, order_id) VALUES (1, 0)";
    String more =
        IntStream.range(1, ROWS)
            .mapToObj(i -> ", (" + i + ", 1" + i + ")")
            .collect(Collectors.joining());
    assertThat(plan(planner, rows + more)).isSameAs(plan(planner, rows + more.replace('1', '7')));
  }

  private static Parameters counting() {
    return new Parameters() {
      @Override
      public int count() {
        return 2 * ROWS;
      }

      @Override
      public ParameterValue value(int number) {
        return new ParameterValue(
            20, false, Integer.toString(number).getBytes(StandardCharsets.UTF_8));
      }
    };
  }
}
