package org.pgconcord.router.exec;

import org.pgconcord.router.backend.BackendConnection;
import org.pgconcord.router.backend.Backends;
import org.pgconcord.router.plan.Plan;

/**
 * A statement that leaves locks or channels in the session's connection with the authoritative
 * shard. That connection is the session's own, so they are nobody else's, and end with it; the
 * session ends with it too.
 */
final class AtHome {
  private AtHome() {}

  static void run(Execution execution, Plan.Authoritative plan, Backends backends) {
    if (plan.facts().mayWrite()) {
      execution.tx().write(plan.shard());
    }
    execution.then(
        execution.reader(plan.shard()),
        home -> {
          backends.keepHome();
          home.send(
              execution.request(execution.sql(), true, home),
              new PassThrough(execution, plan.facts().mayWrite()) {
                @Override
                void answered() {
                  shown(backends, plan, home);
                  super.answered();
                }
              });
        });
  }

  /** All locks includes the one by which routers know whose backend it is. */
  private static void shown(Backends backends, Plan.Authoritative plan, BackendConnection home) {
    if (plan.leaves() == Plan.Authoritative.Leaves.LETS_GO) {
      backends.mark().show(home);
    }
  }
}
