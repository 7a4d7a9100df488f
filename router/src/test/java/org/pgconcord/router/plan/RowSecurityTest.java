package org.pgconcord.router.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgconcord.config.catalog.GsiState;
import org.pgconcord.config.catalog.RoutingState;
import org.pgconcord.router.sql.StatementText;

/**
 * On an owner with row security the columns that are added to RETURNING bring in the policies for
 * SELECT: a write that would not have met them by itself is refused rather than cut short.
 */
class RowSecurityTest {
  @ParameterizedTest
  @ValueSource(strings = {"DELETE FROM users", "DELETE FROM users WHERE true"})
  void aWriteThatReadsNoColumnIsRefused(String sql) {
    assertThat(plan(sql, true)).contains("write/row-security");
    assertThat(plan(sql, false)).contains("DELETE on all shards");
  }

  @Test
  void aWriteThatReadsColumnsMeetsThePoliciesAnyway() {
    assertThat(plan("DELETE FROM users WHERE user_id > 0", true)).contains("DELETE on all shards");
    assertThat(plan("DELETE FROM users RETURNING name", true)).contains("DELETE on all shards");
  }

  private static String plan(String sql, boolean secured) {
    PlanContext context =
        PlanFixture.context(GsiState.ENABLED, List.of("\"$user\"", "public"), false, "");
    String schema =
        PlanFixture.resource("schema.sql")
            + (secured ? "ALTER TABLE public.users ENABLE ROW LEVEL SECURITY;" : "");
    RoutingState state = context.state();
    RoutingState changed =
        new RoutingState(
            state.revision(),
            state.topology(),
            state.gsis(),
            Map.of("app", SchemaFile.read(schema)),
            state.misplaced(),
            state.namesakes(),
            state.code(),
            state.copies(),
            state.fences(),
            state.stands());
    Planned planned =
        new StatementPlanner()
            .plan(
                StatementText.one(sql),
                new PlanContext(changed, "app", context.searchPath(), "demo", false));
    return String.join("\n", PlanText.render(planned, Parameters.NONE));
  }
}
