package org.pgconcord.cdc.source;

import io.debezium.embedded.Connect;
import io.debezium.engine.ChangeEvent;
import io.debezium.engine.DebeziumEngine;
import io.debezium.engine.DebeziumEngine.RecordCommitter;
import io.debezium.engine.spi.OffsetCommitPolicy;
import java.io.IOException;
import java.security.SecureRandom;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.apache.kafka.connect.source.SourceRecord;
import org.jspecify.annotations.Nullable;
import org.pgconcord.cdc.change.ChangeListener;
import org.pgconcord.cdc.change.ChangeStream;
import org.pgconcord.cdc.change.SourceTransaction;
import org.pgconcord.cdc.change.StreamName;
import org.pgconcord.cdc.slot.SlotGuard;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.Lsn;
import org.pgconcord.state.store.StateStore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The stream of one owner shard by Debezium Embedded, started again for as long as it takes.
 *
 * <h2>Invariant</h2>
 *
 * The listener gets every transaction that commits after the slot's confirmed position, whole and
 * in commit order, at least once; and the confirmed position never passes what the listener has
 * acknowledged as durable. So a crash at any point repeats transactions and loses none.
 *
 * <h2>Why it holds</h2>
 *
 * <ul>
 *   <li>An engine that starts has no offset, so it asks the server for the slot's own position. The
 *       server sends whole transactions whose commit record lies behind it. There is no searching
 *       for a place to resume, the part of Debezium 3.6.1 in which rows get lost.
 *   <li>A transaction is handed on at its END only; one that was cut off by the end of an engine is
 *       dropped and comes again from its first row.
 *   <li>The server's position moves only when a record is marked as processed, and only END records
 *       and messages up to the acknowledged position are ever marked ({@link Acknowledgements}). A
 *       commit position is the end of the commit record; confirming it leaves out exactly the
 *       transactions that end there or earlier.
 *   <li>Nothing is handed on before the slot's own server has said that it is the one that is read,
 *       and nothing after another one has followed it ({@link SlotGuard}).
 *   <li>After a restart of the engine the listener sees transactions again that it has had. It
 *       drops them by commit position, which it must do after a restart of the process anyway.
 * </ul>
 *
 * <p>An error of the engine ends it; it is started again after a growing pause, without limit, for
 * a shard may be away for long. Two things end the stream: a slot that is lost, and a change that
 * cannot be read, since reading it again would not help.
 */
public final class DebeziumStream implements ChangeStream {
  private static final Logger LOG = LoggerFactory.getLogger(DebeziumStream.class);

  /** The same broken order so many times in a row is a bug, not an accident. */
  private static final int BROKEN_ORDERS = 5;

  private final Supplier<SourceSettings> source;
  private final StateStore store;
  private final StreamName stream;
  private final SlotProbe probe;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition closing = lock.newCondition();
  private final AtomicLong spools = new AtomicLong();
  private final Thread supervisor;
  private @Nullable ChangeListener listener;
  private @Nullable DebeziumEngine<ChangeEvent<SourceRecord, SourceRecord>> running;
  private volatile Lsn durable = Lsn.ZERO;
  private volatile boolean closed;

  /** One engine's life: what it collected and what it may mark. */
  private final class Run {
    final SourceSettings settings;
    final String name;
    final String placeholder;
    final RecordReader reader;
    final TransactionAssembler assembler;
    final Acknowledgements<ChangeEvent<SourceRecord, SourceRecord>> marks =
        new Acknowledgements<>();
    final ChangeListener target;
    final SlotGuard guard;
    boolean delivered;
    @Nullable Throwable failure;

    Run(SourceSettings settings, String random, ChangeListener target, SlotGuard guard) {
      this.guard = guard;
      this.settings = settings;
      this.name = settings.slot() + "_" + random.substring(0, 8);
      this.placeholder = "unavailable-" + random;
      this.assembler =
          new TransactionAssembler(
              store, stream.toString(), settings.transactionRows(), spools::getAndIncrement);
      this.reader = new RecordReader(placeholder, settings.columns());
      this.target = target;
    }
  }

  /**
   * @param source asked before each start of the engine
   */
  public DebeziumStream(
      Supplier<SourceSettings> source, StateStore store, StreamName stream, SlotProbe probe) {
    this.source = source;
    this.store = store;
    this.stream = stream;
    this.probe = probe;
    this.supervisor = new Thread(this::supervise, "stream-" + stream);
    supervisor.setDaemon(true);
  }

  @Override
  public void start(ChangeListener target) {
    lock.lock();
    try {
      listener = target;
      supervisor.start();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void acknowledge(Lsn position) {
    lock.lock();
    try {
      if (durable.isBefore(position)) {
        durable = position;
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      closing.signalAll();
    } finally {
      lock.unlock();
    }
    stopEngine();
    LastWait.forEndOf(supervisor);
  }

  // --- one engine after another ----------------------------------------------------------------

  private void supervise() {
    ChangeListener target = listener;
    if (target == null) {
      throw new IllegalStateException("no listener");
    }
    Spool.clear(store, stream.toString());
    Backoff backoff = new Backoff();
    Throwable end = null;
    while (!closed && end == null) {
      Throwable failure = runOnce(target, backoff);
      if (!closed) {
        end = isFinal(failure, backoff) ? failure : null;
        if (end == null) {
          pause(failure, backoff);
        }
      }
    }
    target.ended(end);
  }

  private @Nullable Throwable runOnce(ChangeListener target, Backoff backoff) {
    try (SlotGuard guard = probe.guard()) {
      byte[] random = new byte[16];
      new SecureRandom().nextBytes(random);
      Run run = new Run(source.get(), HexFormat.of().formatHex(random), target, guard);
      runEngine(run);
      if (run.delivered) {
        backoff.reset();
      }
      return run.failure;
    } catch (RuntimeException | SQLException e) {
      return e;
    }
  }

  private void runEngine(Run run) {
    DebeziumEngine<ChangeEvent<SourceRecord, SourceRecord>> engine =
        DebeziumEngine.create(Connect.class)
            .using(DebeziumProperties.of(run.settings, run.name, run.placeholder))
            .using(OffsetCommitPolicy.always())
            .using(
                (success, message, error) -> {
                  run.failure = error;
                })
            .notifying(
                (events, committer) -> {
                  try {
                    deliver(run, events, committer);
                  } catch (SQLException e) {
                    throw ErrorCode.SHARD_CONNECTION_LOST
                        .because(
                            "the server of stream %s does not say who reads it".formatted(stream))
                        .withCause(e);
                  }
                })
            .build();
    lock.lock();
    try {
      if (closed) {
        return;
      }
      running = engine;
    } finally {
      lock.unlock();
    }
    engine.run();
    run.assembler.discard();
    lock.lock();
    try {
      running = null;
    } finally {
      lock.unlock();
    }
  }

  private static boolean isFinal(@Nullable Throwable failure, Backoff backoff) {
    ConcordException known = known(failure);
    if (known == null) {
      return false;
    }
    return known.code() == ErrorCode.SLOT_LOST
        || known.code() == ErrorCode.CHANGE_UNREADABLE
        || (known.code() == ErrorCode.INTERNAL && backoff.failures() >= BROKEN_ORDERS);
  }

  private static @Nullable ConcordException known(@Nullable Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof ConcordException known) {
        return known;
      }
    }
    return null;
  }

  private void pause(@Nullable Throwable failure, Backoff backoff) {
    Duration pause = backoff.next();
    LOG.warn(
        "change stream ended, starting again stream={} failures={} pause_ms={} cause=\"{}\"",
        stream,
        backoff.failures(),
        pause.toMillis(),
        failure == null ? "the engine stopped" : String.valueOf(failure.getMessage()));
    lock.lock();
    try {
      long left = pause.toNanos();
      while (!closed && left > 0) {
        left = closing.awaitNanos(left);
      }
    } catch (InterruptedException e) {
      closed = true;
      Thread.currentThread().interrupt();
    } finally {
      lock.unlock();
    }
  }

  // --- delivery, on the engine's thread ----------------------------------------------------------

  private void deliver(
      Run run,
      List<ChangeEvent<SourceRecord, SourceRecord>> events,
      RecordCommitter<ChangeEvent<SourceRecord, SourceRecord>> committer)
      throws InterruptedException, SQLException {
    if (!closed) {
      run.guard.require();
    }
    for (ChangeEvent<SourceRecord, SourceRecord> event : events) {
      if (closed) {
        return;
      }
      SourceRecord record = event.value();
      if (record != null) {
        run.reader.read(record).match(new Delivery(run, event));
      }
    }
    mark(run, committer);
  }

  private void mark(Run run, RecordCommitter<ChangeEvent<SourceRecord, SourceRecord>> committer)
      throws InterruptedException {
    ChangeEvent<SourceRecord, SourceRecord> last = run.marks.upTo(durable);
    if (last != null) {
      committer.markProcessed(last);
      committer.markBatchFinished();
    }
  }

  private static final class Delivery implements SourceEvent.Cases<Boolean> {
    private final Run run;
    private final ChangeEvent<SourceRecord, SourceRecord> event;

    Delivery(Run run, ChangeEvent<SourceRecord, SourceRecord> event) {
      this.run = run;
      this.event = event;
    }

    @Override
    public Boolean begin(SourceEvent.Begin begin) {
      run.assembler.begin(begin);
      return true;
    }

    @Override
    public Boolean row(SourceEvent.Row row) {
      run.assembler.row(row);
      return true;
    }

    @Override
    public Boolean end(SourceEvent.End end) throws InterruptedException {
      SourceTransaction transaction = run.assembler.end(end);
      run.delivered = true;
      run.target.transaction(transaction);
      run.marks.add(transaction.commitLsn(), event);
      return true;
    }

    @Override
    public Boolean mark(SourceEvent.Mark mark) throws InterruptedException {
      run.delivered = true;
      run.target.message(mark.message());
      run.marks.add(mark.message().lsn(), event);
      return true;
    }

    @Override
    public Boolean other(SourceEvent.Other other) {
      return true;
    }
  }

  // --- the end -----------------------------------------------------------------------------------

  /**
   * The engine refuses to stop while its tasks start, so the supervisor's own stop may be needed.
   */
  private void stopEngine() {
    while (supervisor.isAlive()) {
      DebeziumEngine<?> engine;
      lock.lock();
      try {
        engine = running;
        if (engine == null) {
          return;
        }
      } finally {
        lock.unlock();
      }
      try {
        engine.close();
        return;
      } catch (IllegalStateException e) {
        waitALittle();
      } catch (IOException e) {
        LOG.warn("change stream did not stop in order stream={}", stream, e);
        return;
      }
    }
  }

  private void waitALittle() {
    try {
      supervisor.join(50);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
