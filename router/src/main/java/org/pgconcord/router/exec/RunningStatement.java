package org.pgconcord.router.exec;

import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.backend.BackendConnection;
import org.pgconcord.router.backend.BackendRole;
import org.pgconcord.router.session.CopyReceiver;
import org.pgconcord.router.session.ResultSink;
import org.pgconcord.router.session.SessionContext;
import org.pgconcord.router.tx.Deadlocks;
import org.pgconcord.router.tx.Transaction;
import org.pgconcord.router.wire.ErrorFields;
import org.pgconcord.router.wire.Frame;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The statement that a session runs: how long it may take, and how it is ended before its time, by
 * the client, by {@code statement_timeout}, or as the victim of a deadlock over shards. It is ended
 * by cancelling whatever runs for it on any backend, again and again until it has ended, for it may
 * be between two steps just now; the error that comes back is put in the right words here.
 *
 * <p>From its second second on it takes part in the search for deadlocks ({@link Deadlocks}). On
 * the session's event loop.
 */
final class RunningStatement {
  private static final Logger LOG = LoggerFactory.getLogger(RunningStatement.class);
  private static final String CANCELED = "57014";
  private static final long FIRST_LOOK_MILLIS = 1_000;
  private static final long LOOK_MILLIS = 200;
  private static final long SURE_MILLIS = 50;
  private static final long AGAIN_MILLIS = 100;

  /** The router's own limit is less. */
  private static final Duration CANCELLED_WITHIN = Duration.ofDays(1);

  private final SessionContext session;
  private final Deadlocks deadlocks;
  private final Transaction tx;
  private final Interrupts interrupts;
  private final Supplier<Set<ShardId>> shards;
  private final WaitQuestions questions;
  private long count;
  private long began;
  private boolean running;
  private boolean interrupted;
  private boolean ticking;
  private boolean watched;
  private boolean closed;
  private @Nullable ErrorFields reason;
  private @Nullable ScheduledFuture<?> timeout;

  /**
   * @param shards all there are
   */
  RunningStatement(
      SessionContext session,
      Deadlocks deadlocks,
      Transaction tx,
      Interrupts interrupts,
      Supplier<Set<ShardId>> shards) {
    this.interrupts = interrupts;
    this.session = session;
    this.deadlocks = deadlocks;
    this.tx = tx;
    this.shards = shards;
    this.questions = new WaitQuestions(session.backends(), session.loop());
  }

  boolean running() {
    return running;
  }

  void begin() {
    running = true;
    interrupted = false;
    reason = null;
    count++;
    began = System.nanoTime();
    Duration limit = session.settings().statementTimeout();
    if (!limit.isZero()) {
      timeout = session.loop().schedule(this::timedOut, limit.toNanos(), TimeUnit.NANOSECONDS);
    }
    if (!ticking) {
      tickIn(FIRST_LOOK_MILLIS);
    }
  }

  void end() {
    running = false;
    interrupts.clear();
    if (timeout != null) {
      timeout.cancel(false);
      timeout = null;
    }
    if (watched || interrupted) {
      session.backends().patient();
    }
    if (watched) {
      watched = false;
      deadlocks.withdraw(mark());
      connections(true).forEach(BackendConnection::close);
    }
  }

  /** The session has ended, and its backends with it: it waits for nobody, and looks for nobody. */
  void close() {
    closed = true;
    deadlocks.withdraw(mark());
  }

  // --- before its time -------------------------------------------------------------------------

  /** The client wants it to end. */
  void cancel() {
    interrupt(null);
  }

  private void timedOut() {
    interrupt(ErrorFields.plain("ERROR", CANCELED, "canceling statement due to statement timeout"));
  }

  private void interrupt(@Nullable ErrorFields words) {
    if (running && !interrupted && !tx.committing()) {
      interrupted = true;
      reason = words;
      interrupts.interrupt();
      session.backends().hurry(CANCELLED_WITHIN);
      cancelUntilEnded(count);
    }
  }

  @SuppressWarnings("FutureReturnValueIgnored")
  private void cancelUntilEnded(long statement) {
    if (running && count == statement && !tx.committing() && !tx.failed()) {
      session.backends().cancelRunning();
      session
          .loop()
          .schedule(() -> cancelUntilEnded(statement), AGAIN_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  /** The sink, which says why when it hears of a cancel. */
  Worded worded(ResultSink sink) {
    return new Worded(sink);
  }

  /** It was to end before its time; nothing new is begun for it. */
  boolean interrupted() {
    return interrupted;
  }

  private ErrorFields worded(ErrorFields fields) {
    return reason != null && fields.sqlState().equals(CANCELED) ? reason : fields;
  }

  // --- deadlocks -------------------------------------------------------------------------------

  @SuppressWarnings("FutureReturnValueIgnored")
  private void tickIn(long millis) {
    ticking = true;
    session.loop().schedule(this::tick, millis, TimeUnit.MILLISECONDS);
  }

  private void tick() {
    ticking = false;
    if (!running || closed) {
      return;
    }
    long age = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
    if (age < FIRST_LOOK_MILLIS) {
      tickIn(FIRST_LOOK_MILLIS - age);
      return;
    }
    publish();
    session.backends().attend();
    deadlocks.look(mark()).ifPresent(this::look);
    tickIn(LOOK_MILLIS);
  }

  private void publish() {
    long statement = count;
    watched = true;
    deadlocks.publish(
        new Deadlocks.Published(
            mark(),
            backends(false),
            backends(true),
            !tx.committing() && !interrupted,
            !tx.committing() && interrupted,
            () -> session.loop().execute(() -> endAsVictim(statement))));
  }

  private void endAsVictim(long statement) {
    if (count == statement) {
      interrupt(
          ErrorFields.of(
              ErrorCode.TX_DEADLOCK
                  .because("deadlock detected")
                  .withDetail("Sessions wait for each other over several shards.")));
    }
  }

  /** First where sessions of this router wait, then everywhere when that says too little. */
  private void look(Set<Deadlocks.Backend> waiting) {
    var unused =
        questions
            .about(waiting)
            .thenCompose(
                narrow ->
                    deadlocks.wide(narrow)
                        ? questions.everybody(shards.get())
                        : CompletableFuture.completedFuture(narrow))
            .handle((answers, failure) -> failure == null ? answers : failed(failure))
            .thenAccept(
                answers -> {
                  if (deadlocks.looked(answers, questions.slowest())) {
                    lookSoon();
                  }
                });
  }

  private static Map<ShardId, Set<Deadlocks.Block>> failed(Throwable failure) {
    LOG.warn("a search for deadlocks failed", failure);
    return Map.of();
  }

  @SuppressWarnings("FutureReturnValueIgnored")
  private void lookSoon() {
    session
        .loop()
        .schedule(
            () -> {
              if (running) {
                deadlocks.look(mark()).ifPresent(this::look);
              }
            },
            SURE_MILLIS,
            TimeUnit.MILLISECONDS);
  }

  private long mark() {
    return session.backends().mark().value();
  }

  /**
   * On primaries: nobody waits for a lock of a replica's session, whose number may be another's.
   */
  private Set<Deadlocks.Backend> backends(boolean busy) {
    return connections(false).stream()
        .filter(backend -> backend.role() != BackendRole.REPLICA)
        .filter(backend -> !busy || backend.busy())
        .map(backend -> new Deadlocks.Backend(backend.shard(), backend.processId()))
        .collect(Collectors.toSet());
  }

  private Collection<BackendConnection> connections(boolean watch) {
    return session.backends().connections().stream()
        .filter(backend -> (backend.role() == BackendRole.WATCH) == watch)
        .toList();
  }

  /** What goes to the client, with the right words for an end before its time. */
  final class Worded extends ForwardingSink {
    private final ResultSink target;
    private boolean given;

    private Worded(ResultSink target) {
      super(target);
      this.target = target;
    }

    /** The client has heard of a result: the statement cannot begin anew. */
    boolean given() {
      return given;
    }

    @Override
    public void copyIn(Frame response, CopyReceiver receiver) {
      given = true;
      super.copyIn(response, receiver);
    }

    @Override
    public void copyIn(boolean binary, int columns, CopyReceiver receiver) {
      given = true;
      super.copyIn(binary, columns, receiver);
    }

    @Override
    public void rowDescription(Frame frame) {
      given = true;
      super.rowDescription(frame);
    }

    @Override
    public void rows(Frame rows) {
      given = true;
      super.rows(rows);
    }

    @Override
    public void error(Frame frame) {
      if (tx.stoppedByFence()) {
        return;
      }
      if (reason == null) {
        super.error(frame);
      } else {
        super.error(worded(ErrorFields.read(frame)));
      }
    }

    @Override
    public void error(ErrorFields fields) {
      if (!tx.stoppedByFence()) {
        super.error(worded(fields));
      }
    }

    @Override
    public void done() {
      target.done();
    }
  }
}
