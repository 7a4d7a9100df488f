package org.pgconcord.router.tx;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.pgconcord.config.atomic.PartialCommit;
import org.pgconcord.config.atomic.PartialCommits;
import org.pgconcord.config.error.ConcordException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores partial commits in the catalog on a thread of its own. The shard whose end made a commit a
 * partial one may be the catalog's: what cannot be stored is tried again each second, in order; of
 * more than {@value #WAITING_MOST} the oldest are only in this process's log, where each has been
 * written before.
 */
public final class PartialCommitLog implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PartialCommitLog.class);
  private static final int WAITING_MOST = 1_000;

  private final PartialCommits stored;
  private final Deque<PartialCommit> waiting = new ArrayDeque<>();
  private final ScheduledExecutorService writer =
      Executors.newSingleThreadScheduledExecutor(
          work -> {
            Thread thread = new Thread(work, "partial-commits");
            thread.setDaemon(true);
            return thread;
          });

  public PartialCommitLog(PartialCommits stored) {
    this.stored = stored;
    var unused = writer.scheduleWithFixedDelay(this::store, 1, 1, TimeUnit.SECONDS);
  }

  /** Any thread; does not block. */
  public void add(PartialCommit commit) {
    synchronized (waiting) {
      waiting.addLast(commit);
      if (waiting.size() > WAITING_MOST) {
        waiting.removeFirst();
      }
    }
    try {
      writer.execute(this::store);
    } catch (RejectedExecutionException e) {
      LOG.debug("the router ends before a partial commit is stored", e);
    }
  }

  private void store() {
    PartialCommit next = next();
    try {
      while (next != null) {
        stored.add(next);
        synchronized (waiting) {
          waiting.remove(next);
        }
        next = next();
      }
    } catch (ConcordException e) {
      LOG.warn("a partial commit is not stored yet cause=\"{}\"", e.message());
    }
  }

  private @org.jspecify.annotations.Nullable PartialCommit next() {
    synchronized (waiting) {
      return waiting.peekFirst();
    }
  }

  @Override
  public void close() {
    writer.shutdown();
    stored.close();
  }
}
