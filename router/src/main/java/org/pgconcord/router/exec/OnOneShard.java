package org.pgconcord.router.exec;

import java.util.List;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.backend.BackendConnection;
import org.pgconcord.router.backend.BackendRequest;
import org.pgconcord.router.backend.FenceCall;
import org.pgconcord.router.plan.StatementFacts;
import org.pgconcord.router.session.StatementCall;
import org.pgconcord.router.tx.Transaction;
import org.pgconcord.router.wire.CommandTag;
import org.pgconcord.router.wire.Frame;
import org.pgconcord.router.wire.ParameterTypes;
import org.pgconcord.router.wire.Parameters;

/** Everything that can matter is on one shard: the client's text goes there as it is. */
final class OnOneShard {
  private OnOneShard() {}

  static void run(Execution execution, StatementFacts facts, ShardId shard) {
    execution.requireEqualCopies(facts, List.of(shard));
    if (facts.command() == StatementFacts.Command.COPY) {
      CopyThrough.prepare(execution, facts.mayWrite());
    }
    if (facts.mayWrite()) {
      execution.tx().write(shard);
    }
    execution.then(
        execution.reader(shard),
        backend -> {
          if (facts.command() == StatementFacts.Command.COPY) {
            CopyThrough.run(execution, facts.mayWrite(), backend);
          } else {
            execution.then(
                execution.asAssumed(backend), same -> send(execution, facts.mayWrite(), backend));
          }
        });
  }

  private static void send(Execution execution, boolean mayWrite, BackendConnection backend) {
    BackendRequest request = execution.request(execution.sql(), true, backend);
    boolean alone = execution.tx().scope() == Transaction.Scope.NONE;
    if (!alone || !mayWrite || execution.tx().fences().isEmpty()) {
      backend.send(request, new PassThrough(execution, mayWrite));
      return;
    }
    List<BackendRequest.Extended> fences = FenceCall.of(execution.tx().fences());
    if (request instanceof BackendRequest.Extended extended) {
      backend.send(
          new BackendRequest.Fenced(fences, extended), new PassThrough(execution, mayWrite));
    } else {
      backend.send(
          new BackendRequest.Fenced(fences, asExtended(execution.sql())),
          new AsSimple(execution, mayWrite));
    }
  }

  /** A simple Query that a fence can go before, in the same transaction and the same message. */
  private static BackendRequest.Extended asExtended(String sql) {
    return new BackendRequest.Extended(
        sql, false, ParameterTypes.NONE, Parameters.none(), "", true, 0);
  }

  /**
   * The answer to a simple Query comes after its commit; that of an Execute before it, and the
   * commit may still fail.
   */
  private static final class AsSimple extends PassThrough {
    private String tag = "";

    AsSimple(Execution execution, boolean mayWrite) {
      super(execution, mayWrite);
    }

    @Override
    public void complete(Frame frame) {
      tag = CommandTag.read(frame);
    }

    @Override
    void answered() {
      sink().complete(tag);
      execution().done();
    }
  }

  /** The next rows of a portal that was suspended; its shard hears of new savepoints first. */
  static void goOn(
      Execution execution, StatementCall.Continue call, Portals.Open.OnBackend portal) {
    execution.then(
        execution.tx().backend(portal.backend().shard()),
        backend ->
            backend.send(
                new BackendRequest.Continue(portal.name(), call.maxRows()),
                new PassThrough(execution, false)));
  }
}
