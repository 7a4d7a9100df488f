package org.pgconcord.router.tx;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.pgconcord.config.catalog.CopyMarks;
import org.pgconcord.config.catalog.RoutingState;
import org.pgconcord.config.catalog.Stands;
import org.pgconcord.config.settings.KnownServers;

/**
 * The routing state that this router works under, and who still works under an older one. Any
 * thread may call it.
 *
 * <h2>The drain</h2>
 *
 * A step of an index's state is safe only when nobody writes under the state before the last: a
 * writer that does not maintain must be gone before entries are trusted, one that maintains must be
 * gone before they are not. So every statement enters before it looks at the state, and stays until
 * it, its transaction and its portals have ended. {@link #awaitDrained} waits for those that
 * entered before a revision.
 *
 * <p>An entrant counts itself first and then looks whether the state it counted itself under is
 * still the current one; if not, it takes the count back and starts again. The publisher replaces
 * the state first and then looks at the counts. Whichever way the two interleave, an entrant that
 * works under the old state has been counted before the publisher looks.
 */
public final class RouterEpochs {
  private static final long POLL_NANOS = Duration.ofMillis(1).toNanos();

  /** A state and when it was published here, of {@link System#nanoTime}. */
  private record Published(RoutingState state, long at) {}

  private volatile Published published;
  private final BooleanSupplier lease;
  private volatile KnownServers servers = new KnownServers();
  private final Map<Long, AtomicInteger> entrants = new ConcurrentHashMap<>();

  /** Of the only router there is: nothing changes behind its back. */
  public RouterEpochs(RoutingState initial) {
    this(initial, () -> true);
  }

  /**
   * @param lease whether this router may trust that the state it knows is current or next to it
   */
  public RouterEpochs(RoutingState initial, BooleanSupplier lease) {
    this.published = new Published(initial, System.nanoTime());
    this.lease = lease;
  }

  /**
   * Judges the states by these servers from now on: where one of them is followed by another, the
   * state says so before anybody gets a connection to the follower.
   */
  public void follow(KnownServers known) {
    servers = known;
    known.onFollowed(shard -> publish(current()));
    publish(current());
  }

  /**
   * Whether a statement on a fenced table may start. Not asked is when it ends: for that there are
   * the fences on the shards.
   */
  public boolean leased() {
    return lease.getAsBoolean();
  }

  /** The revision under which, or under a later one, everything that is open here began. */
  public long acknowledged() {
    long newest = current().revision();
    entrants.entrySet().removeIf(e -> e.getKey() < newest && e.getValue().get() == 0);
    return entrants.entrySet().stream()
        .filter(e -> e.getKey() < newest && e.getValue().get() > 0)
        .mapToLong(Map.Entry::getKey)
        .min()
        .orElse(newest);
  }

  /** The state for a plan that is made now. */
  public RoutingState current() {
    return published.state();
  }

  /**
   * When this router heard of the state that is current, of {@link System#nanoTime}: what the state
   * speaks of was committed before.
   */
  public long since() {
    return published.at();
  }

  /**
   * Replaces the state. One with a lower revision comes too late and is left out; so are older
   * marks of copies, which have a count of their own.
   *
   * <p>The servers that it speaks of are known first: who is on one before them leaves. Not under
   * this object's monitor, for whoever finds a follower comes here while it has that of the known
   * servers.
   */
  public void publish(RoutingState state) {
    servers.remember(state.stands().settled());
    replace(state);
  }

  private synchronized void replace(RoutingState state) {
    RoutingState current = published.state();
    CopyMarks newest =
        state.copies().version() >= current.copies().version() ? state.copies() : current.copies();
    RoutingState based = state.revision() >= current.revision() ? state : current;
    RoutingState marked = newest.equals(based.copies()) ? based : based.withCopies(newest);
    Stands stands = marked.stands().seen(servers.all());
    RoutingState next = stands.equals(marked.stands()) ? marked : marked.withStands(stands);
    if (!next.equals(current)) {
      published = new Published(next, System.nanoTime());
    }
  }

  /** Whoever starts work under the current state enters, and leaves when the work has ended. */
  public Stay enter() {
    while (true) {
      long revision = current().revision();
      AtomicInteger count = entrants.computeIfAbsent(revision, r -> new AtomicInteger());
      count.incrementAndGet();
      if (current().revision() == revision) {
        return new Stay(count);
      }
      count.decrementAndGet();
    }
  }

  /** Transactions and portals that began under a revision below this one and are still open. */
  public int openBefore(long revision) {
    return entrants.entrySet().stream()
        .filter(e -> e.getKey() < revision)
        .mapToInt(e -> e.getValue().get())
        .sum();
  }

  /**
   * Waits until nobody works under a revision below this one, which has been published.
   *
   * @return false when some still do after {@code timeout}
   */
  public boolean awaitDrained(long revision, Duration timeout) throws InterruptedException {
    long deadline = System.nanoTime() + timeout.toNanos();
    while (openBefore(revision) > 0) {
      if (System.nanoTime() - deadline >= 0) {
        return false;
      }
      LockSupport.parkNanos(POLL_NANOS);
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
    }
    entrants.keySet().removeIf(old -> old < revision);
    return true;
  }

  /** One entrant's time under a revision. */
  public static final class Stay {
    private final AtomicInteger count;
    private final AtomicBoolean over = new AtomicBoolean();

    private Stay(AtomicInteger count) {
      this.count = count;
    }

    /** Ends it; further calls do nothing. */
    public void leave() {
      if (over.compareAndSet(false, true)) {
        count.decrementAndGet();
      }
    }
  }
}
