package org.pgconcord.router.plan;

import org.pgconcord.config.error.ErrorCode;

/**
 * {@code pgconcord.target = replica}: plans that ask shards and nobody else keep their routes, to
 * replicas. A list of what may run, so that a kind of plan that is not known to be good is refused.
 * What looks like a read and writes all the same (a function) is refused by the replica itself:
 * PostgreSQL writes nothing in recovery.
 */
final class ReplicaPlans {
  private ReplicaPlans() {}

  static Plan of(Plan plan, PlanContext context) {
    return !context.replica() || mayRun(plan)
        ? plan
        : Refusals.refused(
            ErrorCode.TARGET_READ_ONLY.because(
                "pgconcord.target is replica, and this is no plain read"));
  }

  private static boolean mayRun(Plan plan) {
    boolean reads =
        plan instanceof Plan.OneShard
            || plan instanceof Plan.AnyCopy
            || plan instanceof Plan.Scatter
            || plan instanceof Plan.Sorted
            || plan instanceof Plan.Gather
            || plan instanceof Plan.Unsharded
            || (plan instanceof Plan.Authoritative one
                && one.leaves() == Plan.Authoritative.Leaves.NOTHING);
    if (reads) {
      return !plan.facts().locks() && !changesRows(plan.facts());
    } else if (plan instanceof Plan.ShardExplain explain) {
      return mayRun(explain.explained().plan());
    } else if (plan instanceof Plan.CopyQuery copy) {
      return mayRun(copy.select());
    }
    return plan instanceof Plan.CopyTo
        || plan instanceof Plan.Refused
        || plan instanceof SessionCommand;
  }

  private static boolean changesRows(StatementFacts facts) {
    return switch (facts.command()) {
      case INSERT, UPDATE, DELETE -> true;
      case COPY -> facts.mayWrite();
      case SELECT, OTHER -> false;
    };
  }
}
