package org.pgconcord.router.exec;

import java.util.List;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.backend.BackendConnection;
import org.pgconcord.router.backend.BackendRequest;
import org.pgconcord.router.plan.StatementFacts;
import org.pgconcord.router.session.StatementCall;

/** Everything that can matter is on one shard: the client's text goes there as it is. */
final class OnOneShard {
  private OnOneShard() {}

  static void run(Execution execution, StatementFacts facts, ShardId shard) {
    execution.requireEqualCopies(facts, List.of(shard));
    if (facts.mayWrite()) {
      execution.tx().write(shard);
    }
    execution.then(
        execution.tx().backend(shard), backend -> send(execution, facts.mayWrite(), backend));
  }

  private static void send(Execution execution, boolean mayWrite, BackendConnection backend) {
    backend.send(
        execution.request(execution.sql(), true, backend), new PassThrough(execution, mayWrite));
  }

  /** The next rows of a portal that was suspended. */
  static void goOn(Execution execution, StatementCall.Continue call, Portals.Open portal) {
    portal
        .backend()
        .send(
            new BackendRequest.Continue(portal.name(), call.maxRows()),
            new PassThrough(execution, false));
  }
}
