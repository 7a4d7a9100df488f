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
  public static final LookupIndex INDEX = resolved(DECLARED);

  private UsersIndex() {}

  public static LookupIndex resolved(DeclaredIndex declared) {
    return LookupIndex.resolve(declared.topology(), declared.owner(), declared.gsi());
  }

  /** The routing state with the index in this state. */
  public static RoutingState routing(long revision, GsiState state, long epoch) {
    return routing(DECLARED, revision, state, epoch);
  }

  /** The same of another declaration of it. */
  public static RoutingState routing(
      DeclaredIndex declared, long revision, GsiState state, long epoch) {
    return new RoutingState(
        revision,
        declared.topology(),
        Map.of(declared.gsi().name(), new RoutingState.GsiStatus(state, "", epoch)),
        Map.of(
            "app",
            Map.of(
                UsersByEmail.USERS,
                declared.owner(),
                UsersByEmail.COUNTRIES,
                UsersByEmail.countries())));
  }
}
