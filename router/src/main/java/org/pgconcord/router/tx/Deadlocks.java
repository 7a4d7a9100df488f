package org.pgconcord.router.tx;

import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.tx.WaitGraph.Waiter;

/**
 * Finds deadlocks that no server sees: cycles of this router's sessions over several shards, or of
 * one session's own transactions. Shared by all sessions, from any thread.
 *
 * <h2>Why a cycle that it finds is real</h2>
 *
 * A session publishes itself when one statement of it has run for a while, with the backends that
 * have not answered. Servers say which backends block these. Answers of several servers are of
 * different moments, so that waits which never were at once could look like a cycle. Two looks must
 * therefore show the same waits of the same statements: a session whose statement waits in both has
 * waited all the time in between, for a statement does one thing after the other and a look is much
 * shorter than the time between two. In the very worst case a transaction is ended that would not
 * have had to be, which 40P01 always allows.
 *
 * <p>One session looks at a time, for all. It asks over its own service backends.
 */
public final class Deadlocks {
  /** A backend on its server. */
  public record Backend(ShardId shard, int processId) {}

  /**
   * A session whose statement has not ended for a while.
   *
   * @param began {@link System#nanoTime} at the statement's start
   * @param backends all of the session's
   * @param waiting those that have not answered
   * @param interruptible the statement can still be ended
   * @param end ends the statement if it still runs; called from any thread
   */
  public record Published(
      long session,
      long statement,
      long began,
      Set<Backend> backends,
      Set<Backend> waiting,
      boolean interruptible,
      Runnable end) {
    public Published {
      backends = Set.copyOf(backends);
      waiting = Set.copyOf(waiting);
    }

    private Waiter waiter() {
      return new Waiter(session, statement);
    }
  }

  /** {@code waiting} is blocked by {@code blocker}. */
  public record Block(Backend waiting, Backend blocker) {}

  private final Map<Long, Published> published = new ConcurrentHashMap<>();
  private final AtomicBoolean looking = new AtomicBoolean();
  private volatile WaitGraph last = WaitGraph.EMPTY;

  public void publish(Published session) {
    published.put(session.session(), session);
  }

  public void withdraw(long session) {
    published.remove(session);
  }

  /**
   * Lets the caller look, unless another session does: the backends to ask about, by shard. The
   * caller must call {@link #looked} or {@link #lookFailed} afterwards.
   */
  public Optional<Map<ShardId, List<Integer>>> look() {
    if (!looking.compareAndSet(false, true)) {
      return Optional.empty();
    }
    return Optional.of(
        published.values().stream()
            .flatMap(p -> p.waiting().stream())
            .collect(
                Collectors.groupingBy(
                    Backend::shard, Collectors.mapping(Backend::processId, Collectors.toList()))));
  }

  public void lookFailed() {
    looking.set(false);
  }

  /**
   * Takes what the servers said, and ends one statement of each cycle that was there before.
   *
   * @return true when there is a cycle, so that another look soon would tell whether it is real
   */
  public boolean looked(Collection<Block> blocks) {
    try {
      return search(blocks);
    } finally {
      looking.set(false);
    }
  }

  private boolean search(Collection<Block> blocks) {
    Map<Backend, Published> owners = new HashMap<>();
    published.values().forEach(p -> p.backends().forEach(b -> owners.put(b, p)));
    Map<Waiter, Set<Waiter>> edges = new HashMap<>();
    for (Block block : blocks) {
      Published waiting = owners.get(block.waiting());
      Published blocker = owners.get(block.blocker());
      if (waiting != null && blocker != null) {
        edges.computeIfAbsent(waiting.waiter(), w -> new HashSet<>()).add(blocker.waiter());
      }
    }
    WaitGraph now = new WaitGraph(edges);
    List<List<Waiter>> cycles = now.and(last).cycles();
    last = now;
    cycles.forEach(this::endOne);
    return !now.cycles().isEmpty();
  }

  /** The one that began last has the least to lose. */
  private void endOne(List<Waiter> cycle) {
    cycle.stream()
        .map(waiter -> published.get(waiter.session()))
        .filter(p -> p != null && p.interruptible() && cycle.contains(p.waiter()))
        .max(Comparator.comparingLong(Published::began))
        .ifPresent(victim -> victim.end().run());
  }
}
