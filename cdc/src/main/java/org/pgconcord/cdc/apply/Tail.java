package org.pgconcord.cdc.apply;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.pgconcord.cdc.change.ChangeListener;
import org.pgconcord.cdc.change.ChangeStream;
import org.pgconcord.cdc.change.Message;
import org.pgconcord.cdc.change.SourceTransaction;
import org.pgconcord.cdc.change.StreamName;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.Lsn;
import org.pgconcord.gsi.LookupIndex;
import org.pgconcord.gsi.SettlementRunner;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One owner shard's tail: a thread that takes what the stream delivers, has every index served, and
 * only then lets the slot move.
 *
 * <h2>Invariant</h2>
 *
 * The slot is acknowledged up to P only when each served index's progress row says P or more: every
 * transaction up to P has had its effect durably in that index's own database (I8). So a slot that
 * is ahead of a progress row is not ours any more, and is refused. Everything else follows the
 * order <em>entries and progress row, then positions, then slot</em>; a crash between any two
 * repeats transactions, and repetition is recognised by the progress row.
 *
 * <h2>One thread decides</h2>
 *
 * Batches and orders (serve, quiesce, hold, drop) run on this thread one after the other, so an
 * order always falls between two batches. That is the whole proof of {@link #quiesce}: when it
 * returns, the last blind transaction of this tail has ended, and the next batch is already
 * audited. An index that cannot be served is dropped and its listener told; the others go on.
 */
final class Tail implements ChangeListener, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Tail.class);
  private static final long QUEUE_ROWS = 60_000;
  private static final long BATCH_ROWS = 20_000;
  private static final int RECENT = 10_000;
  private static final Duration TICK = Duration.ofMillis(200);
  private static final Duration STORE_EVERY = Duration.ofSeconds(1);

  private final StreamName name;
  private final StreamFactory streams;
  private final SettlementRunner.Sessions source;
  private final StreamPositions positions;
  private final TransactionLog log;
  private final TailListener listener;
  private final DuplicateListener duplicates;
  private final Clock clock;
  private final Map<GsiName, Served> served = new LinkedHashMap<>();
  private final Queue<Runnable> orders = new ArrayDeque<>();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition closing = lock.newCondition();
  private final Retry retry = new Retry();
  private final Thread thread;
  private volatile EventQueue queue = new EventQueue(QUEUE_ROWS);
  private volatile boolean closed;
  private volatile @Nullable Throwable streamEnd;
  private @Nullable ChangeStream stream;
  private final Deque<Long> recent = new ArrayDeque<>();
  private Lsn handled = Lsn.ZERO;
  private long nextStore = System.nanoTime();

  Tail(
      StreamName name,
      StreamFactory streams,
      SettlementRunner.Sessions source,
      StreamPositions positions,
      TransactionLog log,
      TailListener listener,
      DuplicateListener duplicates,
      Clock clock) {
    this.name = name;
    this.streams = streams;
    this.source = source;
    this.positions = positions;
    this.log = log;
    this.listener = listener;
    this.duplicates = duplicates;
    this.clock = clock;
    this.thread = new Thread(this::run, "tail-" + name);
    thread.setDaemon(true);
    thread.start();
  }

  // --- orders, from any thread -------------------------------------------------------------------

  /** Serves the index from its progress row on; fails when there is none. */
  CompletableFuture<Boolean> serve(LookupIndex index, ServingMode mode) {
    return order(
        () -> {
          Served before = served.remove(index.name());
          if (before != null) {
            before.target().reset();
          }
          served.put(index.name(), take(index, mode));
          restartStream();
          return true;
        });
  }

  /** The index is audited from here on; true when it was served blindly until now. */
  CompletableFuture<Boolean> quiesce(GsiName gsi) {
    return order(
        () -> {
          Served one = require(gsi);
          boolean wasBlind = one.mode() == ServingMode.BLIND;
          one.switchTo(ServingMode.AUDIT);
          return wasBlind;
        });
  }

  /** Keeps what comes after the present position in the slot. */
  CompletableFuture<Boolean> hold(GsiName gsi) {
    return order(
        () -> {
          require(gsi).hold();
          return true;
        });
  }

  /** Applies blindly again, everything after {@code fence} from the slot once more. */
  CompletableFuture<Boolean> resumeBlind(GsiName gsi, Lsn fence) {
    return order(
        () -> {
          Served one = require(gsi);
          try (Connection connection = source.open(one.index().lookupShard())) {
            new ProgressRow(name, gsi).reset(connection, fence, one.epoch());
          }
          one.switchTo(ServingMode.BLIND);
          one.rewind(fence);
          refuseGap(one.index(), fence);
          restartStream();
          return true;
        });
  }

  CompletableFuture<Boolean> drop(GsiName gsi) {
    return order(
        () -> {
          Served gone = served.remove(gsi);
          if (gone != null) {
            gone.target().reset();
          }
          if (served.isEmpty()) {
            stopStream();
          }
          return gone != null;
        });
  }

  /** The ids of the last transactions that have been handled. */
  CompletableFuture<List<Long>> recentXids() {
    return order(() -> List.copyOf(recent));
  }

  /** Runs on the tail's thread between two batches. */
  <T> CompletableFuture<T> order(Callable<T> work) {
    CompletableFuture<T> result = new CompletableFuture<>();
    lock.lock();
    try {
      if (closed) {
        result.completeExceptionally(new IllegalStateException("the tail is closed"));
        return result;
      }
      orders.add(
          () -> {
            try {
              result.complete(work.call());
            } catch (Throwable e) {
              result.completeExceptionally(e);
            }
          });
    } finally {
      lock.unlock();
    }
    queue.wake();
    return result;
  }

  private Served require(GsiName gsi) {
    Served one = served.get(gsi);
    if (one == null) {
      throw new IllegalStateException(gsi + " is not served by stream " + name);
    }
    return one;
  }

  private Served take(LookupIndex index, ServingMode mode) throws SQLException {
    TargetContext context =
        new TargetContext(name, index, new ShardSessions(source), source, positions, duplicates);
    try (Connection connection = source.open(index.lookupShard())) {
      ProgressRow.Mark mark =
          new ProgressRow(name, index.name())
              .takeOver(connection)
              .orElseThrow(
                  () ->
                      ErrorCode.INTERNAL.because(
                          index.name() + " has no progress row for stream " + name));
      LOG.info(
          "tail serves index gsi={} stream={} mode={} from={} epoch={}",
          index.name(),
          name,
          mode,
          mark.position(),
          mark.epoch());
      refuseGap(index, mark.position());
      return new Served(context, mode, mark);
    }
  }

  // --- the stream
  // ---------------------------------------------------------------------------------

  /**
   * No slot is ever acknowledged past a progress row of ours. One that is ahead has been made anew,
   * or moved by somebody else: transactions are missing.
   */
  private void refuseGap(LookupIndex index, Lsn from) throws SQLException {
    Lsn confirmed = streams.confirmed(name);
    if (from.isBefore(confirmed)) {
      throw ErrorCode.SLOT_LOST
          .because("stream " + name + " has a gap for " + index.name())
          .withDetail("applied up to " + from + ", but the slot begins at " + confirmed);
    }
  }

  private void restartStream() {
    stopStream();
    handled = Lsn.ZERO;
    streamEnd = null;
    queue = new EventQueue(QUEUE_ROWS);
    ChangeStream next = streams.open(name, served.values().stream().map(Served::index).toList());
    stream = next;
    next.start(this);
  }

  /** Closing the queue first frees a stream that waits for room in it. */
  private void stopStream() {
    queue.close();
    if (stream != null) {
      stream.close();
      stream = null;
    }
  }

  /** Nobody is left to read for: the slot keeps the log until the index is served or dropped. */
  private void stopIdleStream() {
    if (served.isEmpty() && stream != null) {
      stopStream();
    }
  }

  @Override
  public void transaction(SourceTransaction transaction) throws InterruptedException {
    queue.put(new EventQueue.Event(transaction, transaction.commitLsn(), transaction.commitTime()));
  }

  @Override
  public void message(Message message) throws InterruptedException {
    queue.put(new EventQueue.Event(null, message.lsn(), clock.instant()));
  }

  @Override
  public void ended(@Nullable Throwable cause) {
    streamEnd = cause;
    queue.wake();
  }

  // --- the thread
  // ---------------------------------------------------------------------------------

  private void run() {
    try {
      while (!closed) {
        runOrders();
        List<EventQueue.Event> events = queue.take(BATCH_ROWS, TICK);
        if (!events.isEmpty()) {
          handle(events);
        }
        acknowledge();
        new ArrayList<>(served.values()).forEach(one -> attempt(one, one.target()::review));
        reportEnd();
        stopIdleStream();
      }
    } catch (InterruptedException e) {
      closed = true;
    } finally {
      stopStream();
      served.values().forEach(one -> one.target().reset());
      runOrders();
    }
  }

  private void runOrders() {
    for (Runnable order = nextOrder(); order != null; order = nextOrder()) {
      order.run();
    }
  }

  private @Nullable Runnable nextOrder() {
    lock.lock();
    try {
      return orders.poll();
    } finally {
      lock.unlock();
    }
  }

  private void handle(List<EventQueue.Event> events) {
    EventQueue.Event last = events.get(events.size() - 1);
    List<SourceTransaction> transactions = new ArrayList<>();
    for (EventQueue.Event event : events) {
      if (event.transaction() != null && handled.isBefore(event.position())) {
        transactions.add(event.transaction());
      }
    }
    for (Served one : new ArrayList<>(served.values())) {
      serve(one, transactions, last.position());
    }
    if (closed) {
      return;
    }
    closeChanges(events);
    remember(transactions);
    if (handled.isBefore(last.position())) {
      handled = last.position();
    }
    positions.advance(name.shard(), handled, last.time());
  }

  private void serve(Served one, List<SourceTransaction> transactions, Lsn position) {
    List<SourceTransaction> news =
        transactions.stream().filter(t -> one.position().isBefore(t.commitLsn())).toList();
    boolean done =
        attempt(
            one,
            () -> {
              for (SourceTransaction transaction : news) {
                log.note(one.index(), name.shard(), transaction);
              }
              if (!news.isEmpty() && one.target().handle(news, position)) {
                one.stored(position);
              }
            });
    if (done && one.position().isBefore(position)) {
      one.position(position);
    }
  }

  private void remember(List<SourceTransaction> transactions) {
    transactions.forEach(transaction -> recent.addLast(transaction.xid()));
    while (recent.size() > RECENT) {
      recent.removeFirst();
    }
  }

  private static void closeChanges(List<EventQueue.Event> events) {
    for (EventQueue.Event event : events) {
      if (event.transaction() != null) {
        event.transaction().changes().close();
      }
    }
  }

  /** A row that nothing moved for a while follows, so that the slot may. */
  private void storePositions() {
    long now = System.nanoTime();
    if (now - nextStore < 0) {
      return;
    }
    nextStore = now + STORE_EVERY.toNanos();
    for (Served one : new ArrayList<>(served.values())) {
      Lsn position = one.position();
      if (one.stored().isBefore(position) && attempt(one, () -> one.target().advance(position))) {
        one.stored(position);
      }
    }
  }

  private void acknowledge() {
    storePositions();
    ChangeStream current = stream;
    if (current != null && !served.isEmpty()) {
      Optional<Lsn> durable = Optional.empty();
      for (Served one : served.values()) {
        Lsn its = one.durable();
        durable = Optional.of(durable.filter(least -> least.isBefore(its)).orElse(its));
      }
      durable.ifPresent(current::acknowledge);
    }
  }

  // --- failures
  // -----------------------------------------------------------------------------------

  private interface Work {
    void run() throws SQLException;
  }

  /** Again and again until it succeeds, the tail is closed, or the index has to be given up. */
  private boolean attempt(Served one, Work work) {
    while (!closed) {
      try {
        work.run();
        retry.succeeded();
        return true;
      } catch (OwnerTruncated e) {
        giveUp(one);
        listener.truncated(one.index().name(), name);
        return false;
      } catch (SQLException | ConcordException e) {
        one.target().reset();
        if (!Retry.mayPass(e)) {
          giveUp(one);
          listener.blocked(one.index().name(), name, asKnown(e));
          return false;
        }
        pause(one, e);
      }
    }
    return false;
  }

  private void giveUp(Served one) {
    one.target().reset();
    served.remove(one.index().name());
    LOG.warn("tail no longer serves index gsi={} stream={}", one.index().name(), name);
  }

  private static ConcordException asKnown(Exception failure) {
    return failure instanceof ConcordException known
        ? known
        : ErrorCode.CHANGE_UNREADABLE
            .because("a change cannot be written to the lookup table")
            .withDetail(String.valueOf(failure.getMessage()))
            .withCause(failure);
  }

  private void pause(Served one, Exception failure) {
    Duration pause = retry.next();
    if (retry.failures() > 2) {
      LOG.warn(
          "applying failed, trying again gsi={} stream={} failures={} cause=\"{}\"",
          one.index().name(),
          name,
          retry.failures(),
          failure.getMessage());
    }
    lock.lock();
    try {
      long left = pause.toNanos();
      while (!closed && left > 0) {
        left = closing.awaitNanos(left);
      }
    } catch (InterruptedException e) {
      closed = true;
    } finally {
      lock.unlock();
    }
  }

  private void reportEnd() {
    Throwable end = streamEnd;
    if (end == null) {
      return;
    }
    streamEnd = null;
    List<Served> all = new ArrayList<>(served.values());
    LOG.error("change stream ended for good stream={} cause=\"{}\"", name, end.getMessage());
    if (end instanceof ConcordException known && known.code() == ErrorCode.CHANGE_UNREADABLE) {
      all.forEach(this::giveUp);
      all.forEach(one -> listener.blocked(one.index().name(), name, known));
    } else {
      all.forEach(this::giveUp);
      listener.streamLost(name, end);
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
    queue.wake();
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
        thread.interrupt();
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
