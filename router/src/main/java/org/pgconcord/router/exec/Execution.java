package org.pgconcord.router.exec;

import java.util.Collection;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.backend.BackendConnection;
import org.pgconcord.router.backend.BackendRequest;
import org.pgconcord.router.backend.ShardErrorException;
import org.pgconcord.router.entries.ServiceSessions;
import org.pgconcord.router.plan.IndexChoice;
import org.pgconcord.router.plan.IndexCosts;
import org.pgconcord.router.plan.Parameters;
import org.pgconcord.router.plan.Plan;
import org.pgconcord.router.plan.Planned;
import org.pgconcord.router.plan.StaleCopies;
import org.pgconcord.router.plan.StatementFacts;
import org.pgconcord.router.session.ClientPortal;
import org.pgconcord.router.session.FanOut;
import org.pgconcord.router.session.ResultSink;
import org.pgconcord.router.session.SessionErrors;
import org.pgconcord.router.session.SessionSettings;
import org.pgconcord.router.session.StatementCall;
import org.pgconcord.router.sql.StatementText;
import org.pgconcord.router.tx.Failures;
import org.pgconcord.router.tx.Transaction;
import org.pgconcord.router.wire.ErrorFields;
import org.pgconcord.router.wire.Frame;
import org.pgconcord.router.wire.ParameterTypes;
import org.pgconcord.router.wire.RowDescription;

/**
 * One statement's way from its call to its sink. Ends exactly once, by {@link #done}, {@link #fail}
 * or {@link #failedByShard}.
 */
final class Execution {
  private final StatementCall call;
  private final Planned planned;
  private final ResultSink sink;
  private final SessionParts session;
  private final long sessionId;
  private final Runnable end;
  private final Consumer<Execution> stopped;
  private boolean once;

  /** The parts of a session that its statements use. */
  record SessionParts(
      RouterServices services,
      ServiceSessions serviceSessions,
      Transaction tx,
      Portals portals,
      SessionSettings settings,
      Interrupts interrupts,
      CoveringRights rights,
      SessionNumbers numbers) {}

  /**
   * @param end runs after the last word
   * @param stopped takes over from here when a fence has stopped the statement
   */
  Execution(
      StatementCall call,
      Planned planned,
      ResultSink sink,
      SessionParts session,
      long sessionId,
      Runnable end,
      Consumer<Execution> stopped) {
    this.call = call;
    this.planned = planned;
    this.sink = sink;
    this.session = session;
    this.sessionId = sessionId;
    this.end = end;
    this.stopped = stopped;
  }

  /** What this statement is about, by the same call: planned apart, ended as this one. */
  Execution about(Planned inner) {
    return new Execution(call, inner, sink, session, sessionId, end, stopped);
  }

  /**
   * A statement that runs for this one, with the call's values and all its rows.
   *
   * @param then after its last word; or {@code before} a fence takes over
   */
  Execution within(Planned inner, ResultSink to, Runnable then, Runnable before) {
    StatementCall all =
        call instanceof StatementCall.Execute execute
            ? new StatementCall.Execute(execute.portal(), true, 0)
            : call;
    return new Execution(
        all,
        inner,
        to,
        session,
        sessionId,
        then,
        execution -> {
          before.run();
          stopped.accept(execution);
        });
  }

  /**
   * A query that this statement runs in its own transaction, before it goes on itself.
   *
   * @param into takes the rows; what it is told of a failure it tells this statement's client
   * @param then runs after the last word
   */
  Execution query(StatementCall inner, Planned plan, ResultSink into, Runnable then) {
    return new Execution(
        inner, plan, into, session, sessionId, then, stopped -> this.stopped.accept(this));
  }

  /** The same call with a text of the router's own, which will not come again. */
  Execution rewritten(Planned other) {
    Execution execution = new Execution(call, other, sink, session, sessionId, end, stopped);
    execution.once = true;
    return execution;
  }

  Planned planned() {
    return planned;
  }

  /** The client's own text. */
  String sql() {
    return planned.text().sql();
  }

  /** An error of a shard that got this text, its place in the client's own. */
  ErrorFields placed(ErrorFields error, String sent) {
    return ErrorPlaces.moved(error, sent, call.sql());
  }

  /** Tells the client an error of a shard that got this text. */
  void tell(Frame error, String sent) {
    if (sent.equals(call.sql())) {
      sink.error(error);
    } else {
      sink.error(placed(ErrorFields.read(error), sent));
    }
  }

  ResultSink sink() {
    return sink;
  }

  Transaction tx() {
    return session.tx();
  }

  SessionParts session() {
    return session;
  }

  /** The client's backend on a shard where this statement reads, and perhaps locks, rows. */
  CompletableFuture<BackendConnection> reader(ShardId shard) {
    if (planned.plan().facts().locks()) {
      tx().lock(shard);
    }
    return tx().backend(shard);
  }

  Parameters parameters() {
    return call.boundPortal().<Parameters>map(BoundParameters::new).orElse(Parameters.NONE);
  }

  /** The client waits for a row description, or for NoData. */
  boolean describes() {
    return call instanceof StatementCall.Simple
        || (call instanceof StatementCall.Execute execute && execute.describe());
  }

  /** What the client takes the columns for, where it does not ask for them. */
  Optional<RowDescription> assumed() {
    return call instanceof StatementCall.Execute execute && !execute.describe()
        ? execute.portal().columns()
        : Optional.empty();
  }

  /** The error of a prepared statement whose columns are no longer those that the client knows. */
  Optional<ErrorFields> changed(RowDescription columns) {
    return assumed()
        .filter(before -> !before.sameColumns(columns))
        .map(before -> SessionErrors.columnsChanged());
  }

  /**
   * Done when a backend would answer the client's own text with the columns that the client knows.
   * One that has prepared it sees to that itself.
   */
  CompletableFuture<Void> asAssumed(BackendConnection backend) {
    boolean doubtful = call.boundPortal().map(ClientPortal::doubtful).orElse(false);
    boolean prepared = named() && !doubtful;
    if (assumed().isEmpty() || (prepared && backend.hasPrepared(sql(), declaredTypes()))) {
      return CompletableFuture.completedFuture(null);
    }
    return DescribedStatement.ask(backend, sql(), prepared, declaredTypes())
        .thenAccept(
            described ->
                changed(described.rows())
                    .ifPresent(
                        error -> {
                          throw new ShardErrorException(backend.shard(), error);
                        }));
  }

  boolean simple() {
    return call instanceof StatementCall.Simple;
  }

  /** One of {@code choices}, the same for the whole session, spread over sessions. */
  int spread(int choices) {
    return Math.floorMod(Long.hashCode(sessionId), choices);
  }

  /** 0 for all rows. */
  int maxRows() {
    return call instanceof StatementCall.Execute execute ? execute.maxRows() : 0;
  }

  /**
   * The client's statement for one backend, possibly with another text.
   *
   * @param reusable the text comes again with this statement, so that preparing it pays
   */
  BackendRequest request(String text, boolean reusable, BackendConnection backend) {
    return call.boundPortal()
        .<BackendRequest>map(portal -> extended(text, reusable, portal, backend))
        .orElseGet(() -> new BackendRequest.Query(text));
  }

  private BackendRequest extended(
      String text, boolean reusable, ClientPortal portal, BackendConnection backend) {
    boolean continues = maxRows() > 0 && tx().scope() != Transaction.Scope.NONE;
    return new BackendRequest.Extended(
        text,
        reusable && named(),
        portal.statement().types(),
        portal.parameters(),
        continues ? session.portals().open(portal, backend) : "",
        describes() || (!reusable && assumed().isPresent()),
        maxRows());
  }

  /**
   * A text of the router's own that ends the client's statement on one backend: with a portal that
   * can be continued where the client has limited its rows.
   */
  BackendRequest last(
      String text,
      ParameterTypes types,
      org.pgconcord.router.wire.Parameters values,
      BackendConnection backend) {
    boolean continues = maxRows() > 0 && tx().scope() != Transaction.Scope.NONE;
    String portal =
        continues ? call.boundPortal().map(p -> session.portals().open(p, backend)).orElse("") : "";
    return new BackendRequest.Extended(text, false, types, values, portal, true, maxRows());
  }

  /** Some column is to come in binary. */
  boolean asksForBinary() {
    org.pgconcord.router.wire.Parameters asked = wireParameters();
    for (int i = 0; i < asked.resultFormats(); i++) {
      if (asked.resultFormat(i) == 1) {
        return true;
      }
    }
    return false;
  }

  /** The client's portal can be continued. */
  void keepPortal(RowStream rows) {
    if (maxRows() > 0) {
      call.boundPortal().ifPresent(portal -> session.portals().open(portal, rows));
    }
  }

  /** The client has prepared the statement under a name, so that it comes again. */
  boolean named() {
    return !once && call.boundPortal().map(p -> p.statement().named()).orElse(false);
  }

  /** All rows and their description, in the formats that {@code values} asks for. */
  BackendRequest described(String text, org.pgconcord.router.wire.Parameters values) {
    return call.boundPortal()
        .<BackendRequest>map(
            portal ->
                new BackendRequest.Extended(
                    text, named(), portal.statement().types(), values, "", true, 0))
        .orElseGet(() -> new BackendRequest.Query(text));
  }

  /** The values and result formats of the call. */
  org.pgconcord.router.wire.Parameters wireParameters() {
    return call.boundPortal()
        .map(ClientPortal::parameters)
        .orElseGet(org.pgconcord.router.wire.Parameters::none);
  }

  /** The parameter types that the client declared. */
  ParameterTypes declaredTypes() {
    return call.boundPortal().map(p -> p.statement().types()).orElse(ParameterTypes.NONE);
  }

  /** The portal is used up. */
  void closePortal() {
    call.boundPortal().ifPresent(session.portals()::remove);
  }

  /** Refuses what would read a marked copy, unless the session allows it. */
  void requireEqualCopies(StatementFacts facts, Collection<ShardId> shards) {
    StaleCopies stale = facts.stale();
    if (shards.stream().anyMatch(stale::on) && !session.settings().readsStaleCopies()) {
      throw stale.refusal(shards);
    }
  }

  /**
   * Refuses a statement that is wider than the session allows, before anything of it is sent.
   *
   * @param width if it needs more than one shard
   * @param shards asked for only where that decides
   */
  void requireFanOut(FanOut width, Supplier<Collection<ShardId>> shards) {
    FanOut allowed = session.settings().fanOut();
    if (!allowed.allows(width) && Set.copyOf(shards.get()).size() > 1) {
      throw ErrorCode.FAN_OUT.because(
          "statement's fan-out (%s) exceeds %s (%s)"
              .formatted(width.word(), FanOut.SETTING, allowed.word()));
    }
  }

  /** The cheaper of what answers alike, for the call's values. */
  IndexChoice cheapest(Plan.GsiRead plan, StatementText text) {
    return IndexChoice.of(plan, text, parameters(), costs());
  }

  /** What this session's choices go by. */
  IndexCosts costs() {
    return new IndexCosts(
        session.services().statistics().get(), session.settings().fanOut() == FanOut.SCATTER);
  }

  void done() {
    end.run();
  }

  /** The statement has failed within, and all of that has been seen to. */
  void failedWithin() {
    end.run();
  }

  /** The statement ends with an error that the client has not been told yet. */
  void fail(Throwable failure) {
    endFailed(() -> sink.error(Failures.fields(failure)));
  }

  void fail(ErrorFields fields) {
    endFailed(() -> sink.error(fields));
  }

  /**
   * The first failure of several parts, after which the others were cancelled.
   *
   * @param byFence a fence was its cause; one that failed later was cancelled because of it, and
   *     has nothing to say
   */
  void failFirst(ErrorFields first, boolean byFence) {
    if (!byFence && tx().stoppedByFence()) {
      tx().takeFenceFailure();
    }
    fail(first);
  }

  /** An error worded as PostgreSQL words it. */
  void failPlain(String sqlState, String message) {
    fail(ErrorFields.plain("ERROR", sqlState, message));
  }

  /** The statement ends with an error that a shard has told the client already. */
  void failedByShard() {
    endFailed(() -> {});
  }

  private void endFailed(Runnable tell) {
    if (tx().stoppedByFence()) {
      stopped.accept(this);
      return;
    }
    tx().fail();
    if (tx().scope() != Transaction.Scope.SINGLE) {
      tell.run();
      end.run();
      return;
    }
    whenDone(
        tx().rollback(),
        () -> {
          tell.run();
          end.run();
        });
  }

  /** Goes on with {@code next}, or fails this statement as the future failed. */
  @SuppressWarnings("FutureReturnValueIgnored")
  <T> void then(CompletableFuture<T> future, Consumer<T> next) {
    future
        .thenAccept(next)
        .exceptionally(
            failure -> {
              fail(failure);
              return null;
            });
  }

  /** Goes on however the future ended. */
  @SuppressWarnings("FutureReturnValueIgnored")
  static void whenDone(CompletableFuture<?> future, Runnable next) {
    future.whenComplete((done, failure) -> next.run());
  }
}
