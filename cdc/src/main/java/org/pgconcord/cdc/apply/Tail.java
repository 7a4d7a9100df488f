package org.pgconcord.cdc.apply;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.pgconcord.cdc.change.SourceTransaction;
import org.pgconcord.cdc.change.StreamName;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.Lsn;
import org.pgconcord.gsi.LookupIndex;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One owner shard's tail: a thread that takes what the stream delivers, has every index served, and
 * only then lets the slot move.
 *
 * <h2>Invariant</h2>
 *
 * The slot is acknowledged up to P only when the progress row of each target says P or more: every
 * transaction up to P has had its effect durably on each lookup shard of each served index (I8).
 * Targets commit one after the other and a crash may come between; each knows by its own row what
 * it has had, so a transaction counts once on each of them. So a slot that is ahead of a progress
 * row is not ours any more, and is refused. An index that is being built, or was served before this
 * process began and is not yet, has no position here: while one is reserved the slot is not
 * acknowledged at all, so that the point at which it comes in is still there. The position that
 * others wait for falls back with it. Everything else follows the order <em>entries and progress
 * row, then positions, then slot</em>; a crash between any two repeats transactions, and repetition
 * is recognised by the progress row.
 *
 * <h2>One thread decides</h2>
 *
 * Batches and orders (serve, quiesce, hold, drop) run on this thread one after the other, so an
 * order always falls between two batches. That is the whole proof of {@link #quiesce}: when it
 * returns, the last blind transaction of this tail has ended, and the next batch is already
 * audited. An index that cannot be served is dropped and its listener told; the others go on.
 */
final class Tail implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Tail.class);
  private static final long BATCH_ROWS = 20_000;
  private static final int RECENT = 10_000;
  private static final Duration TICK = Duration.ofMillis(200);
  private static final Duration STORE_EVERY = Duration.ofSeconds(1);
  private static final Duration WATCH_EVERY = Duration.ofSeconds(10);

  private final StreamName name;
  private final TailServices services;
  private final TailStream stream;
  private final Patience patience;
  private final TailIntake intake;
  private final Targets targets;
  private final Set<GsiName> reserved = new HashSet<>();
  private final TailOrders orders = new TailOrders();
  private final Deque<Long> recent = new ArrayDeque<>();
  private final Thread thread;
  private Lsn handled = Lsn.ZERO;
  private long nextStore = System.nanoTime();
  private long nextWatch = System.nanoTime();

  Tail(StreamName name, TailServices services) {
    this.name = name;
    this.services = services;
    this.stream = new TailStream(name, services.streams(), services.clock());
    this.patience = new Patience(name);
    this.targets = new Targets(name);
    this.intake = new TailIntake(name, services);
    this.thread = new Thread(this::run, "tail-" + name);
    thread.setDaemon(true);
    thread.start();
  }

  // --- orders, from any thread -------------------------------------------------------------------

  /**
   * Leaves the slot where it is until the index is served or dropped: it will be served from some
   * position after this moment.
   */
  CompletableFuture<Boolean> reserve(GsiName gsi) {
    return order(() -> targets.of(gsi).isEmpty() && reserved.add(gsi));
  }

  /** Serves the index from its progress rows on; fails where there is none. */
  CompletableFuture<Boolean> serve(LookupIndex index, ServingMode mode) {
    return order(
        () -> {
          targets.remove(index.name());
          targets.add(intake.take(index, mode));
          reserved.remove(index.name());
          restartStream();
          return true;
        });
  }

  /** The index is audited from here on; true when it was served blindly until now. */
  CompletableFuture<Boolean> quiesce(GsiName gsi) {
    return order(
        () -> {
          List<Served> all = targets.require(gsi);
          boolean wasBlind = all.get(0).mode() == ServingMode.BLIND;
          all.forEach(one -> one.switchTo(ServingMode.AUDIT));
          return wasBlind;
        });
  }

  /** Keeps what comes after the present position in the slot. */
  CompletableFuture<Boolean> hold(GsiName gsi) {
    return order(
        () -> {
          targets.require(gsi).forEach(Served::hold);
          return true;
        });
  }

  /** Leaves the entries alone; the ids of the last transactions that have been handled. */
  CompletableFuture<List<Long>> pause(GsiName gsi) {
    return order(
        () -> {
          targets.require(gsi).forEach(Served::pause);
          return List.copyOf(recent);
        });
  }

  /** Goes on from where a {@link #pause} began; false when there was none, or no index any more. */
  CompletableFuture<Boolean> resume(GsiName gsi) {
    return order(
        () -> {
          List<Served> paused = targets.of(gsi).stream().filter(Served::paused).toList();
          if (paused.isEmpty()) {
            return false;
          }
          paused.forEach(Served::resume);
          restartStream();
          return true;
        });
  }

  /**
   * Applies blindly again, everything after {@code fence} from the slot once more. Where the audit
   * has not come to the fence yet it is everything after the audit: what lies between was neither
   * applied nor settled.
   */
  CompletableFuture<Boolean> resumeBlind(GsiName gsi, Lsn fence) {
    return order(
        () -> {
          List<Served> all = targets.require(gsi);
          for (Served one : all) {
            intake.reset(one, one.replayFrom(fence));
          }
          // All rows first: no target may apply blindly while another's row can still fail.
          for (Served one : all) {
            Lsn from = one.replayFrom(fence);
            one.switchTo(ServingMode.BLIND);
            one.rewind(from);
          }
          restartStream();
          return true;
        });
  }

  CompletableFuture<Boolean> drop(GsiName gsi) {
    return order(
        () -> {
          reserved.remove(gsi);
          boolean served = targets.remove(gsi);
          if (targets.isEmpty()) {
            stream.stop();
          }
          return served;
        });
  }

  /** The row changes that have been brought to the index, to each lookup shard; any thread. */
  long appliedRows(GsiName gsi) {
    return intake.appliedRows(gsi);
  }

  /** The ids of the last transactions that have been handled. */
  CompletableFuture<List<Long>> recentXids() {
    return order(() -> List.copyOf(recent));
  }

  /** Runs on the tail's thread between two batches. */
  private <T> CompletableFuture<T> order(Callable<T> work) {
    CompletableFuture<T> result = orders.add(work);
    stream.wake();
    return result;
  }

  private void restartStream() {
    handled = Lsn.ZERO;
    targets.position().ifPresent(position -> services.positions().rewind(name.shard(), position));
    stream.restart(targets.indexes());
  }

  // --- the thread --------------------------------------------------------------------------------

  private void run() {
    try {
      while (!patience.isClosed()) {
        orders.run();
        handle(stream.take(BATCH_ROWS, TICK));
        storePositions();
        acknowledge();
        targets.active().forEach(one -> attempt(one, one.target()::review));
        watch();
        stream.takeEnd().ifPresent(this::giveUpAll);
        if (targets.isEmpty()) {
          // The slot keeps the log until the index is served again or the slot is dropped.
          stream.stop();
        }
      }
    } catch (InterruptedException e) {
      patience.close();
    } finally {
      stream.stop();
      targets.all().forEach(one -> one.target().reset());
      orders.close();
      orders.run();
    }
  }

  private void handle(List<EventQueue.Event> events) {
    if (events.isEmpty()) {
      return;
    }
    EventQueue.Event last = events.get(events.size() - 1);
    List<SourceTransaction> transactions = new ArrayList<>();
    for (EventQueue.Event event : events) {
      if (event.transaction() != null && handled.isBefore(event.position())) {
        transactions.add(event.transaction());
      }
    }
    Targets.onePerIndex(targets.active()).forEach(one -> log(one, transactions));
    targets.active().forEach(one -> serve(one, transactions, last.position()));
    if (patience.isClosed()) {
      return;
    }
    closeChanges(events);
    remember(transactions);
    if (handled.isBefore(last.position())) {
      handled = last.position();
    }
    services.positions().advance(name.shard(), handled, last.time());
  }

  /** For a verification, once for all targets: what is new to any of them. */
  private void log(Served first, List<SourceTransaction> transactions) {
    List<Served> all = targets.of(first.key().gsi());
    attempt(
        first,
        () -> {
          for (SourceTransaction transaction : transactions) {
            if (all.stream().anyMatch(one -> one.position().isBefore(transaction.commitLsn()))) {
              services.log().note(first.index(), name.shard(), transaction);
            }
          }
        });
  }

  private void serve(Served one, List<SourceTransaction> transactions, Lsn position) {
    List<SourceTransaction> news =
        transactions.stream().filter(t -> one.position().isBefore(t.commitLsn())).toList();
    boolean done =
        attempt(
            one,
            () -> {
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

  /** A progress row that nothing moved for a while follows, so that the slot may. */
  private void storePositions() {
    if (System.nanoTime() - nextStore < 0) {
      return;
    }
    for (Served one : targets.active()) {
      Lsn position = one.position();
      if (one.stored().isBefore(position) && attempt(one, () -> one.target().advance(position))) {
        one.stored(position);
      }
    }
    nextStore = System.nanoTime() + STORE_EVERY.toNanos();
  }

  private void acknowledge() {
    if (!reserved.isEmpty()) {
      return;
    }
    targets.durable().ifPresent(stream::acknowledge);
  }

  // --- failures ----------------------------------------------------------------------------------

  private boolean attempt(Served one, Patience.Work work) {
    if (!targets.has(one)) {
      return false;
    }
    try {
      return patience.done(one, work);
    } catch (OwnerTruncated e) {
      giveUp(one);
      services.listener().truncated(one.index().name(), name);
    } catch (ConcordException e) {
      giveUp(one);
      services.listener().blocked(one.index().name(), name, e);
    } catch (RuntimeException e) {
      // A bug of ours must not end the thread that others' orders wait for.
      LOG.error("applying broke gsi={} stream={}", one.index().name(), name, e);
      giveUp(one);
      services
          .listener()
          .blocked(one.index().name(), name, ErrorCode.INTERNAL.because(String.valueOf(e)));
    }
    return false;
  }

  /** An ALTER on the owner table can take from the stream what the index needs, without a sign. */
  private void watch() {
    if (System.nanoTime() - nextWatch < 0) {
      return;
    }
    for (Served one : Targets.onePerIndex(targets.active())) {
      attempt(
          one,
          () -> {
            Optional<ConcordException> problem = services.streams().problem(name, one.index());
            if (problem.isPresent()) {
              throw problem.get();
            }
          });
    }
    nextWatch = System.nanoTime() + WATCH_EVERY.toNanos();
  }

  private void giveUp(Served one) {
    targets.remove(one.index().name());
    LOG.warn("tail no longer serves index gsi={} stream={}", one.index().name(), name);
  }

  private void giveUpAll(Throwable end) {
    LOG.error("change stream ended for good stream={} cause=\"{}\"", name, end.getMessage());
    List<Served> all = Targets.onePerIndex(targets.all());
    all.forEach(this::giveUp);
    if (end instanceof ConcordException known && known.code() != ErrorCode.SLOT_LOST) {
      all.forEach(one -> services.listener().blocked(one.index().name(), name, known));
    } else {
      services.listener().streamLost(name, end);
    }
  }

  @Override
  public void close() {
    orders.close();
    patience.close();
    stream.wake();
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
