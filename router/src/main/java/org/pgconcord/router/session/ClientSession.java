package org.pgconcord.router.session;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.router.session.CallSink.Outcome;
import org.pgconcord.router.wire.BackendFrames;
import org.pgconcord.router.wire.BackendType;
import org.pgconcord.router.wire.ErrorFields;
import org.pgconcord.router.wire.FrontendMessage;
import org.pgconcord.router.wire.TransactionStatus;

/**
 * The protocol of one logged-in client. Messages are dealt with strictly one after the other, each
 * when the answer of the one before is complete; what the client sends meanwhile waits in the queue
 * (and, when that is crowded, unread in the socket).
 *
 * <p><b>Sync.</b> Every Sync and every simple Query is answered by exactly one ReadyForQuery, after
 * all that was sent before it. After an error all messages but Sync and Terminate are skipped.
 *
 * <p><b>Implicit transactions.</b> Statements between two Syncs, or in one simple Query, commit
 * together or not at all. When the queue shows that a single statement stands alone it is run so
 * and commits by itself; else the runner is told to open an implicit transaction, which ends at the
 * Sync or at the end of the Query.
 *
 * <p><b>Answers to Parse and Bind</b> are held back until a shard has accepted the statement, so
 * that a statement which no shard can parse is never said to exist. See {@link ExtendedStep}.
 *
 * <p>Runs on the session's event loop only.
 */
final class ClientSession {
  private final ClientOutput out;
  private final StatementRunner runner;
  private final SessionMetrics metrics;
  private final Runnable terminate;
  private final MessageQueue queue = new MessageQueue();
  private final ClientStatements statements = new ClientStatements();
  private boolean busy;
  private boolean draining;
  private boolean skipping;
  private boolean implicit;
  private boolean decided;
  private boolean closed;
  private boolean stopping;
  private boolean homeLost;

  /** {@code terminate} closes the connection. */
  ClientSession(
      ClientOutput out, StatementRunner runner, SessionMetrics metrics, Runnable terminate) {
    this.out = out;
    this.runner = runner;
    this.metrics = metrics;
    this.terminate = terminate;
  }

  // --- input -----------------------------------------------------------------------------------

  void receive(FrontendMessage message, int bytes) {
    queue.add(message, bytes);
    drain();
  }

  // --- COPY ------------------------------------------------------------------------------------

  private @Nullable CopyReceiver copy;

  private void copying(CopyReceiver receiver) {
    copy = receiver;
    receiver.begin(this::drain);
    out.flush();
    drain();
  }

  /**
   * The next message of a COPY, if it may be dealt with. Flush and Sync are ignored, as PostgreSQL
   * does for clients that did not know that their statement is a COPY.
   */
  private boolean nextOfCopy(CopyReceiver receiver) {
    FrontendMessage message = queue.peek();
    if (message instanceof FrontendMessage.Flush || message instanceof FrontendMessage.Sync) {
      queue.remove();
      return true;
    } else if (message instanceof FrontendMessage.CopyData data) {
      if (receiver.ready()) {
        queue.remove();
        receiver.data(data.bytes());
        return true;
      }
      return false;
    }
    queue.remove();
    copy = null;
    if (message instanceof FrontendMessage.CopyDone) {
      receiver.done();
    } else if (message instanceof FrontendMessage.CopyFail fail) {
      receiver.fail(fail.message());
    } else if (message instanceof FrontendMessage.Terminate) {
      terminate.run();
    } else {
      receiver.broken(SessionErrors.notInCopy());
    }
    return true;
  }

  /** Deals with what waits, until a call is under way or more input is needed. */
  private void drain() {
    if (draining) {
      return;
    }
    draining = true;
    try {
      while (!closed && !queue.isEmpty() && step()) {
        // as far as it goes
      }
    } finally {
      draining = false;
    }
    out.reading(!queue.crowded());
    if (!busy) {
      out.flush();
    }
  }

  private boolean step() {
    if (copy != null) {
      return nextOfCopy(copy);
    }
    if (busy || !(skipping || queue.ready())) {
      return false;
    }
    next();
    return true;
  }

  private void next() {
    ExtendedStep step = skipping ? NOTHING : ExtendedStep.recognise(queue.iterator());
    if (step.messages() == 0) {
      single(queue.remove());
      return;
    }
    if (step.execute() != null && !decided) {
      decided = true;
      if (!queue.oneExecuteThenSync()) {
        implicit = true;
        runner.beginImplicit();
      }
    }
    for (int i = 0; i < step.messages(); i++) {
      queue.remove();
    }
    new StepRun(this, step).start();
  }

  private static final ExtendedStep NOTHING = new ExtendedStep(null, null, null, null, 0);

  private void single(FrontendMessage message) {
    if (message instanceof FrontendMessage.Terminate) {
      terminate.run();
    } else if (message instanceof FrontendMessage.Sync) {
      sync();
    } else if (skipping) {
      return;
    } else if (message instanceof FrontendMessage.Query query) {
      query(query.sql());
    } else if (message instanceof FrontendMessage.Close close) {
      close(close);
    } else if (message instanceof FrontendMessage.Flush) {
      out.flush();
    } else if (message instanceof FrontendMessage.Malformed malformed) {
      malformed(malformed);
    } else if (message instanceof FrontendMessage.FunctionCall) {
      fail(ErrorFields.of(ErrorCode.FUNCTION_CALL_REFUSED.because("Function calls are refused.")));
      skipping = false;
      ready();
    }
  }

  private void malformed(FrontendMessage.Malformed malformed) {
    fail(ErrorFields.plain("ERROR", malformed.sqlState(), malformed.message()));
    if (malformed.simple()) {
      skipping = false;
      ready();
    }
  }

  private void close(FrontendMessage.Close close) {
    if (close.subject() == FrontendMessage.Subject.STATEMENT) {
      statements.closeStatement(close.name());
    } else {
      drop(statements.closePortal(close.name()));
    }
    out.write(b -> BackendFrames.empty(b, BackendType.CLOSE_COMPLETE));
  }

  void drop(ClientStatements.@Nullable PortalEntry entry) {
    if (entry != null && entry.state == ClientStatements.PortalState.SUSPENDED) {
      runner.closePortal(entry.portal);
    }
  }

  // --- the end of a batch ----------------------------------------------------------------------

  private void sync() {
    skipping = false;
    endImplicit(this::ready);
  }

  private void endImplicit(Runnable then) {
    decided = false;
    if (!implicit) {
      then.run();
      return;
    }
    implicit = false;
    call(sink -> runner.endImplicit(sink), CallSink.Description.NONE, () -> {}, end -> then.run());
  }

  private void ready() {
    TransactionStatus status = runner.status();
    if (status == TransactionStatus.IDLE) {
      statements.closePortals().forEach(runner::closePortal);
    }
    out.write(b -> BackendFrames.readyForQuery(b, status));
    out.flush();
    if (homeLost) {
      endWithHome();
    } else if (stopping && status == TransactionStatus.IDLE) {
      stop();
    }
  }

  /** An error of the session's own: the rest up to Sync is skipped. */
  void fail(ErrorFields fields) {
    out.write(b -> BackendFrames.error(b, fields));
    skipping = true;
    runner.fail();
  }

  // --- calls of the runner ---------------------------------------------------------------------

  interface SinkCall {
    void run(CallSink sink);
  }

  interface Ended {
    void with(CallSink sink);
  }

  void call(SinkCall what, CallSink.Description description, Runnable accept, Ended ended) {
    busy = true;
    CallSink sink =
        new CallSink(
            out,
            accept,
            description,
            this::copying,
            over -> {
              busy = false;
              copy = null;
              ended.with(over);
              drain();
            });
    try {
      what.run(sink);
    } catch (ConcordException refused) {
      sink.error(refused);
      runner.fail();
      sink.done();
    } catch (RuntimeException bug) {
      sink.error(SessionLog.bug(bug));
      runner.fail();
      sink.done();
    }
  }

  // --- simple queries --------------------------------------------------------------------------

  private void query(String sql) {
    statements.closeStatement("");
    drop(statements.closePortal(""));
    endImplicit(() -> start(sql));
  }

  private void start(String sql) {
    List<String> parts;
    try {
      parts = runner.split(sql);
    } catch (ConcordException unreadable) {
      fail(ErrorFields.of(unreadable));
      skipping = false;
      ready();
      return;
    }
    if (parts.isEmpty()) {
      out.write(b -> BackendFrames.empty(b, BackendType.EMPTY_QUERY_RESPONSE));
      ready();
      return;
    }
    if (parts.size() > 1) {
      implicit = true;
      runner.beginImplicit();
    }
    runPart(sql, parts, 0, 0);
  }

  /** Runs one of a text's statements, which begins at or behind {@code from}. */
  private void runPart(String sql, List<String> parts, int index, int from) {
    StatementCall.Simple part = new StatementCall.Simple(parts.get(index));
    int at = Math.max(from, sql.indexOf(part.sql(), from));
    call(
        sink -> {
          sink.behind(sql.codePointCount(0, at));
          runner.run(part, sink);
        },
        CallSink.Description.IF_ROWS,
        () -> {},
        sink -> {
          noticeDiscard();
          metrics.statementEnded(sink.outcome() == Outcome.FAILED);
          if (sink.outcome() != Outcome.FAILED && index + 1 < parts.size() && !closed) {
            runPart(sql, parts, index + 1, at + part.sql().length());
          } else {
            endImplicit(this::ready);
          }
        });
  }

  // --- for an extended step --------------------------------------------------------------------

  ClientOutput out() {
    return out;
  }

  StatementRunner runner() {
    return runner;
  }

  ClientStatements statements() {
    return statements;
  }

  /** A statement has ended; after a failure the rest up to Sync is skipped. */
  void executed(CallSink sink) {
    described(sink);
    metrics.statementEnded(sink.outcome() == Outcome.FAILED);
    noticeDiscard();
  }

  void described(CallSink sink) {
    skipping |= sink.outcome() == Outcome.FAILED;
  }

  // --- for statements that are about statements ------------------------------------------------

  boolean deallocate(String statement) {
    boolean known = !statement.isEmpty() && statements.statement(statement) != null;
    if (known) {
      statements.closeStatement(statement);
    }
    return known;
  }

  void deallocateAll() {
    statements.closeNamed();
  }

  // --- from outside ----------------------------------------------------------------------------

  private boolean discarded;

  /** DISCARD ALL has run: the client's statements and portals are gone. */
  void discard() {
    discarded = true;
  }

  private void noticeDiscard() {
    if (discarded) {
      discarded = false;
      statements.clear();
    }
  }

  /** A cancel request: hits what runs now, or nothing. */
  void cancel() {
    if (busy) {
      runner.cancel();
    }
  }

  /**
   * What the session had left in its home connection is gone: it ends, as soon as it can say so.
   */
  void homeLost() {
    homeLost = true;
    if (!busy) {
      endWithHome();
    }
  }

  /** A server has ended this session's idle transaction: the session ends as one there would. */
  void idleTooLong(ErrorFields fatal) {
    if (!busy && !closed) {
      out.write(b -> BackendFrames.error(b, fatal));
      terminate.run();
    }
  }

  private void endWithHome() {
    if (!closed) {
      ConcordException why =
          ErrorCode.SHARD_CONNECTION_LOST.because(
              "The connection that held this session's advisory locks or channels has ended.");
      out.write(b -> BackendFrames.error(b, ErrorFields.of("FATAL", why)));
      terminate.run();
    }
  }

  /** The router stops: the session ends when it is between transactions. */
  void stopWhenIdle() {
    stopping = true;
    if (!busy && queue.isEmpty() && !implicit && runner.status() == TransactionStatus.IDLE) {
      stop();
    }
  }

  /** The router stops now. To a client 57P01 says that its transaction is rolled back. */
  void stop() {
    if (!closed) {
      ConcordException why =
          busy && runner.mayCommit()
              ? ErrorCode.TX_OUTCOME_UNKNOWN.because("the router stopped before a commit ended")
              : ErrorCode.SHUTTING_DOWN.because("The router is stopping.");
      out.write(b -> BackendFrames.error(b, ErrorFields.of("FATAL", why)));
      terminate.run();
    }
  }

  /** The client is gone. */
  void closed() {
    if (!closed) {
      closed = true;
      runner.close();
    }
  }
}
