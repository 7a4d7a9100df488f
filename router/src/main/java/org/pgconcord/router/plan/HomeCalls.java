package org.pgconcord.router.plan;

import java.util.List;
import java.util.Set;
import org.pgconcord.router.analyse.FunctionCalls.Call;
import org.pgconcord.router.plan.StatementFacts.Command;
import org.pgconcord.router.sql.Tokens;

/**
 * Statements that leave something in the session of the one server where it has its meaning, the
 * authoritative shard's: advisory locks, LISTEN and NOTIFY (docs/decisions/0037). Calls stand in
 * queries on no declared table: beside rows of shards each shard would run them by itself.
 */
final class HomeCalls {
  private static final Set<String> LOCKS =
      Set.of(
          "pg_advisory_lock",
          "pg_advisory_lock_shared",
          "pg_advisory_unlock",
          "pg_advisory_unlock_all",
          "pg_advisory_unlock_shared",
          "pg_advisory_xact_lock",
          "pg_advisory_xact_lock_shared",
          "pg_try_advisory_lock",
          "pg_try_advisory_lock_shared",
          "pg_try_advisory_xact_lock",
          "pg_try_advisory_xact_lock_shared");

  private static final String NOTIFY = "pg_notify";
  private static final String UNLOCK_ALL = "pg_advisory_unlock_all";

  private HomeCalls() {}

  /** The same statement without its calls of such functions. */
  static PlanInput without(PlanInput input) {
    return input.withCalls(input.calls().stream().filter(call -> !isOne(call, input)).toList());
  }

  private static boolean isOne(Call call, PlanInput input) {
    boolean builtIn =
        call.schema().equals("pg_catalog")
            || (call.schema().isEmpty() && input.names().builtinsFirst());
    return builtIn && (LOCKS.contains(call.name()) || call.name().equals(NOTIFY));
  }

  /** True of a call that means the session's server, however it is qualified. */
  static boolean named(Call call) {
    return LOCKS.contains(call.name()) || call.name().equals(NOTIFY);
  }

  /** What such a statement does to its server; {@code NOTHING} for any other. */
  static Plan.Authoritative.Leaves leaves(PlanInput input) {
    List<Call> calls = input.calls().stream().filter(call -> isOne(call, input)).toList();
    if (calls.isEmpty()) {
      return Plan.Authoritative.Leaves.NOTHING;
    }
    return calls.stream().anyMatch(call -> call.name().equals(UNLOCK_ALL))
        ? Plan.Authoritative.Leaves.LETS_GO
        : Plan.Authoritative.Leaves.KEEPS;
  }

  /**
   * What is notified is told with the commit, as a row would be. A lock is no change, and goes
   * last.
   */
  static boolean notifies(PlanInput input) {
    return input.calls().stream()
        .anyMatch(call -> isOne(call, input) && call.name().equals(NOTIFY));
  }

  /** LISTEN, NOTIFY and UNLISTEN. */
  static Plan channel(Tokens tokens, PlanContext context) {
    if (tokens.isWord(0, "unlisten")) {
      return SessionPlans.unlisten(tokens);
    }
    boolean notifies = tokens.isWord(0, "notify");
    StatementFacts facts =
        new StatementFacts(
            Command.OTHER,
            notifies,
            List.of(),
            List.of("channels are the authoritative shard's"),
            StaleCopies.NONE,
            !notifies);
    return new Plan.Authoritative(
        facts, context.state().topology().authoritativeShard(), Plan.Authoritative.Leaves.KEEPS);
  }
}
