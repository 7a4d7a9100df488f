package org.pgconcord.router.exec;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.catalog.CopiedTable;
import org.pgconcord.config.catalog.RoutingState;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.backend.FenceCall;
import org.pgconcord.router.entries.ServiceSessions;
import org.pgconcord.router.plan.Plan;
import org.pgconcord.router.plan.PlanContext;
import org.pgconcord.router.plan.Planned;
import org.pgconcord.router.plan.SessionCommand;
import org.pgconcord.router.plan.TransactionModes;
import org.pgconcord.router.session.ClientPortal;
import org.pgconcord.router.session.ClientStatement;
import org.pgconcord.router.session.DescribeSink;
import org.pgconcord.router.session.ResultSink;
import org.pgconcord.router.session.SessionContext;
import org.pgconcord.router.session.StatementCall;
import org.pgconcord.router.session.StatementRunner;
import org.pgconcord.router.sql.StatementText;
import org.pgconcord.router.tx.Failures;
import org.pgconcord.router.tx.ReplicaReads;
import org.pgconcord.router.tx.RouterEpochs;
import org.pgconcord.router.tx.Transaction;
import org.pgconcord.router.tx.TwoPhase;
import org.pgconcord.router.wire.ErrorFields;
import org.pgconcord.router.wire.TransactionStatus;

/**
 * Runs one session's statements. Each is planned under the routing state that is current when it
 * starts, prepared ones too, and counts as open under that state until it and its transaction have
 * ended ({@link RouterEpochs}).
 */
public final class Executor implements StatementRunner {
  private static final ErrorFields ABORTED =
      ErrorFields.plain(
          "ERROR",
          "25P02",
          "current transaction is aborted, commands ignored until end of transaction block");

  private static final long SOON_MILLIS = 20;

  private final SessionContext session;
  private final RouterServices services;
  private final Transaction tx;
  private final Execution.SessionParts parts;
  private final SessionCommands commands;
  private final RunningStatement statement;
  private final Portals portals = new Portals();
  private final Cursors cursors = new Cursors();
  private final StatementFences fences;
  private final Interrupts interrupts = new Interrupts();
  private RouterEpochs.@Nullable Stay stay;
  private boolean implicitBlock;

  /** The statement that began last may write. */
  private boolean writing;

  public Executor(SessionContext session, RouterServices services) {
    this(session, services, new NumberBlocks());
  }

  private Executor(SessionContext session, RouterServices services, NumberBlocks blocks) {
    this.session = session;
    this.services = services;
    ServiceSessions serviceSessions =
        new ServiceSessions(
            session.backends(), services.lockTimeout(), session.settings()::lockTimeout);
    this.tx =
        new Transaction(
            session.backends(),
            session.settings(),
            serviceSessions,
            services.suspects(),
            services.metrics(),
            this::mark,
            new TwoPhase(services.decisions(), session.database(), session.user(), session.loop()),
            new ReplicaReads(
                services.replicas(),
                session.backends(),
                session.settings(),
                services.epochs()::since,
                this::soon,
                session.id()),
            () -> services.epochs().current().userCode(session.database()).defers(),
            () -> services.epochs().current().stands());
    this.parts =
        new Execution.SessionParts(
            services,
            serviceSessions,
            tx,
            portals,
            session.settings(),
            interrupts,
            new CoveringRights(),
            new SessionNumbers(
                blocks,
                session.backends().home(),
                serviceSessions,
                services.metrics(),
                session.database(),
                session.loop()));
    this.commands = new SessionCommands(session, tx, cursors);
    this.fences = new StatementFences(services.epochs(), session.database(), tx);
    this.statement =
        new RunningStatement(
            session,
            services.deadlocks(),
            tx,
            interrupts,
            () -> Set.copyOf(services.epochs().current().topology().shards()));
  }

  @SuppressWarnings("FutureReturnValueIgnored")
  private void soon(Runnable work) {
    session.loop().schedule(work, SOON_MILLIS, TimeUnit.MILLISECONDS);
  }

  /** Marks are stored elsewhere; the session goes on in its own loop. */
  private CompletableFuture<Void> mark(CopiedTable table, Set<ShardId> copies, String reason) {
    return services.marker().mark(table, copies, reason).thenRunAsync(() -> {}, session.loop());
  }

  /** Makes an executor per session. */
  public static StatementRunner.Factory factory(RouterServices services) {
    NumberBlocks blocks = new NumberBlocks();
    return session -> new Executor(session, services, blocks);
  }

  @Override
  public List<String> split(String sql) {
    List<StatementText> statements = StatementText.split(sql);
    if (statements.size() > 1) {
      services.planner().requireReadable(statements, context(services.epochs().current()));
    }
    return statements.stream().map(StatementText::sql).toList();
  }

  // --- statements ------------------------------------------------------------------------------

  @Override
  public void run(StatementCall call, ResultSink client) {
    enter();
    RunningStatement.Worded sink = statement.worded(client);
    if (implicitBlock && tx.scope() == Transaction.Scope.NONE) {
      tx.begin(Transaction.Scope.IMPLICIT, TransactionModes.NONE);
    }
    attempt(call, sink, System.nanoTime());
  }

  /**
   * One try to run a statement. A fence may stop it, when this router was late to hear of a step.
   */
  private void attempt(StatementCall call, RunningStatement.Worded sink, long begun) {
    RoutingState state = services.epochs().current();
    boolean fresh = tx.fresh();
    try {
      Planned planned = plan(StatementText.one(call.sql()), state);
      writing = planned.plan().facts().mayWrite();
      Execution execution =
          new Execution(
              call,
              planned,
              sink,
              parts,
              session.id(),
              () -> finish(sink),
              stopped -> stopped(stopped, fresh && !sink.given(), () -> again(call, sink, begun)));
      runPlanned(call, planned, state, execution);
    } catch (RuntimeException e) {
      tx.fail();
      sink.error(Failures.fields(e));
      finish(sink);
    }
  }

  private void runPlanned(
      StatementCall call, Planned planned, RoutingState state, Execution execution) {
    if (tx.failed() && !leavesFailure(planned.plan())) {
      execution.fail(ABORTED);
      return;
    }
    try {
      if (call instanceof StatementCall.Continue more) {
        goOn(execution, more);
      } else {
        fences.prepare(planned.plan().facts(), state);
        planned.plan().match(new Dispatch(execution, commands));
      }
    } catch (RuntimeException e) {
      execution.fail(e);
    }
  }

  private void goOn(Execution execution, StatementCall.Continue call) {
    Portals.Open portal = portals.find(call.portal());
    if (portal == null) {
      execution.failPlain("34000", "portal \"" + call.portal().name() + "\" cannot be continued");
    } else if (portal instanceof Portals.Open.Streamed streamed) {
      StreamedRows.goOn(execution, streamed.rows(), call.maxRows());
    } else if (portal instanceof Portals.Open.OnBackend one) {
      OnOneShard.goOn(execution, call, one);
    }
  }

  // --- fences ----------------------------------------------------------------------------------

  /** A fence has stopped the statement. */
  private void stopped(Execution execution, boolean nothingDone, Runnable again) {
    ErrorFields why = tx.takeFenceFailure();
    if (!why.sqlState().equals(FenceCall.PASSED)) {
      execution.fail(why);
    } else if (nothingDone) {
      Execution.whenDone(tx.startOver(), again);
    } else {
      execution.fail(StatementFences.passed(why));
    }
  }

  /** Waits for the state that the fence knows of, then tries again under it. */
  private void again(StatementCall call, RunningStatement.Worded sink, long begun) {
    fences.awaitNewer(
        session.loop(),
        begun,
        statement::interrupted,
        () -> {
          reenter();
          attempt(call, sink, begun);
        },
        failure -> {
          tx.fail();
          sink.error(failure);
          finish(sink);
        });
  }

  /** Nothing is open under the state of the attempt before. */
  private void reenter() {
    if (stay != null) {
      stay.leave();
    }
    stay = services.epochs().enter();
  }

  private Planned plan(StatementText text, RoutingState state) {
    return services.planner().plan(text, context(state));
  }

  private PlanContext context(RoutingState state) {
    return new PlanContext(
        state,
        session.database(),
        session.settings().searchPath(),
        session.settings().currentUser(),
        commands.fixedSnapshot(),
        tx.readsReplicas(),
        session.settings().readsCovering(),
        session.settings().trustsFunctions(),
        session.settings().shard());
  }

  /** What a failed transaction still takes. */
  private static boolean leavesFailure(Plan plan) {
    return plan instanceof SessionCommand.Commit
        || plan instanceof SessionCommand.Rollback
        || plan instanceof SessionCommand.RollbackTo;
  }

  private void enter() {
    statement.begin();
    if (stay == null) {
      stay = services.epochs().enter();
    }
  }

  private void finish(ResultSink sink) {
    left();
    sink.done();
  }

  private void left() {
    statement.end();
    if (tx.scope() == Transaction.Scope.NONE) {
      portals.clear();
      cursors.ended();
      if (stay != null) {
        stay.leave();
        stay = null;
      }
    }
  }

  @Override
  public void closePortal(ClientPortal portal) {
    Portals.Open open = portals.remove(portal);
    if (open instanceof Portals.Open.Streamed streamed) {
      streamed.rows().close();
    } else if (open instanceof Portals.Open.OnBackend one) {
      new ShardPortal(one.backend(), one.name()).close();
    }
  }

  // --- transactions ----------------------------------------------------------------------------

  @Override
  public void beginImplicit() {
    implicitBlock = true;
  }

  @Override
  public void endImplicit(ResultSink client) {
    implicitBlock = false;
    if (tx.scope() != Transaction.Scope.IMPLICIT) {
      client.done();
      return;
    }
    statement.begin();
    ResultSink sink = statement.worded(client);
    if (tx.failed()) {
      Execution.whenDone(tx.rollback(), () -> finish(sink));
    } else {
      Execution.whenDone(
          tx.commit().whenComplete((done, failure) -> tell(sink, failure)), () -> finish(sink));
    }
  }

  private void tell(ResultSink sink, @Nullable Throwable failure) {
    if (failure != null) {
      sink.error(Failures.fields(failure));
    } else {
      cursors.committed();
    }
  }

  @Override
  public void fail() {
    tx.fail();
  }

  @Override
  public TransactionStatus status() {
    return tx.status();
  }

  /** A statement outside transactions is committed by its shard. */
  @Override
  public boolean mayCommit() {
    return statement.running()
        && (tx.committing() || (writing && tx.scope() == Transaction.Scope.NONE));
  }

  @Override
  public void cancel() {
    statement.cancel();
  }

  /** What runs ends when the session closes its backends; what is open ends with them. */
  @Override
  public void close() {
    statement.close();
    if (!statement.running() && stay != null) {
      stay.leave();
      stay = null;
    }
  }

  // --- description -----------------------------------------------------------------------------

  @Override
  public void describe(ClientStatement statement, DescribeSink sink) {
    enter();
    try {
      Planned planned = plan(StatementText.one(statement.sql()), services.epochs().current());
      if (tx.failed() && !leavesFailure(planned.plan())) {
        sink.error(ABORTED);
        endDescribe(sink);
        return;
      }
      new Description(session, tx, cursors).run(statement, planned, sink, () -> endDescribe(sink));
    } catch (RuntimeException e) {
      tx.fail();
      sink.error(Failures.fields(e));
      endDescribe(sink);
    }
  }

  @Override
  public boolean hasCursor(String name) {
    return cursors.find(name) != null;
  }

  @Override
  public void describeCursor(String name, DescribeSink sink) {
    enter();
    new Description(session, tx, cursors).ofCursor(name, sink, () -> endDescribe(sink));
  }

  private void endDescribe(DescribeSink sink) {
    left();
    sink.done();
  }
}
