package org.pgconcord.daemon.topology;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.catalog.GsiState;
import org.pgconcord.config.catalog.RoutingState;
import org.pgconcord.config.topology.Topology;
import org.pgconcord.testkit.fixture.DeclaredIndex;
import org.pgconcord.testkit.fixture.UsersByEmail;

/** Entries that are moved to other shards in passing would be found by nobody. */
class ChangeRulesTest {
  private static final DeclaredIndex ONE = UsersByEmail.declared(false, false);
  private static final DeclaredIndex SHARDED = UsersByEmail.declared(false, true);

  private static RoutingState state(DeclaredIndex declared, GsiState state) {
    return new RoutingState(
        1,
        declared.topology(),
        Map.of(declared.gsi().name(), new RoutingState.GsiStatus(state, "", 1)),
        Map.of("app", Map.of(UsersByEmail.USERS, declared.owner())));
  }

  private static List<String> violations(DeclaredIndex from, Topology to) {
    return ChangeRules.violations(state(from, GsiState.ENABLED), to, Set.of());
  }

  @Test
  void aMaintainedIndexKeepsTheShardsOfItsLookupTable() {
    assertThat(violations(ONE, SHARDED.topology()))
        .singleElement()
        .asString()
        .contains("sharding", "--disable-gsi");
    assertThat(violations(SHARDED, ONE.topology())).hasSize(1);
    assertThat(violations(SHARDED, SHARDED.topology())).isEmpty();
    assertThat(
            ChangeRules.violations(
                state(SHARDED, GsiState.ENABLED), ONE.topology(), Set.of(SHARDED.gsi().name())))
        .isEmpty();
  }

  @Test
  void aBuiltIndexWhoseLookupTableGetsOtherShardsIsAnotherOne() {
    assertThat(ChangeRules.redefined(state(SHARDED, GsiState.TAILING), ONE.topology()))
        .containsExactly(SHARDED.gsi().name());
    assertThat(ChangeRules.redefined(state(SHARDED, GsiState.TAILING), SHARDED.topology()))
        .isEmpty();
  }
}
