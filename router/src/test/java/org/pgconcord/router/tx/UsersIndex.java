package org.pgconcord.router.tx;

import java.util.Map;
import org.pgconcord.config.catalog.GsiState;
import org.pgconcord.config.catalog.RoutingState;
import org.pgconcord.gsi.LookupIndex;
import org.pgconcord.testkit.fixture.DeclaredIndex;
import org.pgconcord.testkit.fixture.UsersByEmail;

/** Users by email as a router sees it. */
public final class UsersIndex {
  private static final DeclaredIndex DECLARED = UsersByEmail.declared(false);
  public static final LookupIndex INDEX =
      LookupIndex.resolve(DECLARED.topology(), DECLARED.owner(), DECLARED.gsi());

  private UsersIndex() {}

  /** The routing state with the index in this state. */
  public static RoutingState routing(long revision, GsiState state, long epoch) {
    return new RoutingState(
        revision,
        DECLARED.topology(),
        Map.of(DECLARED.gsi().name(), new RoutingState.GsiStatus(state, "", epoch)),
        Map.of(
            "app",
            Map.of(
                UsersByEmail.USERS,
                DECLARED.owner(),
                UsersByEmail.COUNTRIES,
                UsersByEmail.countries())));
  }
}
