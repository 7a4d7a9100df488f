package org.pgconcord.cdc.apply;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.Tuple;
import org.pgconcord.gsi.LookupIndex;
import org.pgconcord.gsi.Outcome;
import org.pgconcord.gsi.SettlementRunner;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The part of the audit that no stream can trigger: suspects that routers stored, each second, and
 * a pass over every audited lookup table when one is asked for (a daemon that ended uncleanly, a
 * lease that lapsed) or when the last one is older than the interval. One thread.
 */
final class AuditSweeper implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(AuditSweeper.class);
  private static final Duration TICK = Duration.ofSeconds(1);
  private static final int SUSPECTS = 500;

  /** An audited index and when its next pass is due, by {@code System.nanoTime}. */
  private static final class Audited {
    final LookupIndex index;
    long dueNanos;

    Audited(LookupIndex index, long dueNanos) {
      this.index = index;
      this.dueNanos = dueNanos;
    }
  }

  private final SettlementRunner.Sessions source;
  private final Suspects suspects;
  private final Duration interval;
  private final Map<GsiName, Audited> audited = new LinkedHashMap<>();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Thread thread = new Thread(this::run, "audit-sweep");
  private volatile boolean closed;
  private boolean requested;
  private @Nullable GsiName visited;

  AuditSweeper(SettlementRunner.Sessions source, Suspects suspects, Duration interval) {
    this.source = source;
    this.suspects = suspects;
    this.interval = interval;
    thread.setDaemon(true);
    thread.start();
  }

  void audit(LookupIndex index) {
    lock.lock();
    try {
      audited.putIfAbsent(index.name(), new Audited(index, System.nanoTime() + interval.toNanos()));
    } finally {
      lock.unlock();
    }
  }

  /**
   * Settles nothing more of the index: when it returns, the last settlement has ended. The streams
   * may write blindly only then.
   */
  void leave(GsiName gsi) {
    lock.lock();
    try {
      audited.remove(gsi);
      while (gsi.equals(visited)) {
        changed.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }

  /** The next pass over this index starts now. */
  void request(GsiName gsi) {
    lock.lock();
    try {
      Audited one = audited.get(gsi);
      if (one != null) {
        one.dueNanos = System.nanoTime();
        requested = true;
        changed.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  private void run() {
    try {
      while (!closed) {
        for (Audited one : snapshot()) {
          if (enter(one.index.name())) {
            try {
              visit(one);
            } finally {
              exit();
            }
          }
        }
        pause();
      }
    } catch (InterruptedException e) {
      closed = true;
    }
  }

  private List<Audited> snapshot() {
    lock.lock();
    try {
      return new ArrayList<>(audited.values());
    } finally {
      lock.unlock();
    }
  }

  private boolean enter(GsiName gsi) {
    lock.lock();
    try {
      visited = audited.containsKey(gsi) ? gsi : null;
      return visited != null;
    } finally {
      lock.unlock();
    }
  }

  private void exit() {
    lock.lock();
    try {
      visited = null;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private boolean left(GsiName gsi) {
    lock.lock();
    try {
      return closed || !audited.containsKey(gsi);
    } finally {
      lock.unlock();
    }
  }

  private void visit(Audited one) {
    GsiName gsi = one.index.name();
    try (LookupSweep sweep = new LookupSweep(one.index, source)) {
      settleSuspects(one.index, sweep);
      if (isDue(one)) {
        LookupSweep.Result result = sweep.pass(() -> left(gsi));
        sweep.settlePending(() -> left(gsi));
        LOG.info(
            "audit sweep ended gsi={} entries={} removed={} unsettled={}",
            gsi,
            result.entries(),
            result.removed(),
            result.unsettled().size());
        postpone(one, result.unsettled().isEmpty() ? interval : TICK);
      }
    } catch (SQLException | ConcordException e) {
      LOG.warn("audit sweep failed, trying again gsi={} cause=\"{}\"", gsi, e.getMessage());
    }
  }

  private void settleSuspects(LookupIndex index, LookupSweep sweep) throws SQLException {
    for (Tuple identity : suspects.keys(index, SUSPECTS)) {
      if (left(index.name())) {
        return;
      }
      if (sweep.settle(identity) != Outcome.Kind.UNSETTLED) {
        suspects.remove(index, identity);
      }
    }
  }

  private boolean isDue(Audited one) {
    lock.lock();
    try {
      return one.dueNanos - System.nanoTime() <= 0;
    } finally {
      lock.unlock();
    }
  }

  private void postpone(Audited one, Duration by) {
    lock.lock();
    try {
      one.dueNanos = System.nanoTime() + by.toNanos();
    } finally {
      lock.unlock();
    }
  }

  private void pause() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      long left = TICK.toNanos();
      while (!closed && !requested && left > 0) {
        left = changed.awaitNanos(left);
      }
      requested = false;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    try {
      thread.join();
    } catch (InterruptedException e) {
      thread.interrupt();
      Thread.currentThread().interrupt();
    }
  }
}
