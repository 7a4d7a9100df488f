package org.pgconcord.router.tx;

import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.backend.SessionMark;

/**
 * Finds deadlocks that no server sees: cycles of sessions over several shards, of this router or of
 * several, or of one session's own transactions. Shared by all sessions, from any thread.
 *
 * <h2>How a cycle over several routers is seen</h2>
 *
 * Every backend shows on its server to which session it belongs ({@link SessionMark}). So one
 * question to a server gives its part of the whole graph: which session waits for which there. A
 * session whose statement has run for a while publishes itself here. One of those looks for all, as
 * long as its statement lasts: it asks the shards on which they wait. When what blocks one of them
 * is not this router's, it may wait on any shard: then all shards are asked, once in a second at
 * most, sooner while there seems to be a cycle.
 *
 * <h2>Why a cycle that it finds is real</h2>
 *
 * Answers of several servers are of different moments, so that waits which never were at once could
 * look like a cycle. Two answers of each server must therefore show the same wait: of the same
 * backend, begun at the same moment by the server's clock, for the same session. One looks at a
 * time, and the second answers are all of one look, the first ones of looks before it: all first
 * answers are there before any second one is asked for, and at that moment all waits of the cycle
 * were. What a session holds it does not let go while its statement waits. In the very worst case
 * (two sessions with one mark) a transaction is ended that would not have had to be, which 40P01
 * always allows.
 *
 * <h2>Who ends</h2>
 *
 * Each router sees the same cycle and must choose the same member, for two must not end where one
 * is enough: the one whose wait began last, as its server tells it, has the least to lose. A router
 * can end its own sessions alone. It sees a cycle at the latest two seconds after another one has;
 * if the cycle is still there after five (the member commits, or its router is frozen) the next one
 * is chosen, and so on. Of a cycle of this router's sessions alone one is chosen at once.
 */
public final class Deadlocks {
  private static final long TURN_NANOS = TimeUnit.SECONDS.toNanos(5);
  private static final long WIDE_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long SUSPECTED_NANOS = TimeUnit.MILLISECONDS.toNanos(40);
  private static final long NOBODY = 0;

  /** An answer that took longer is one of many waits: a tenth of the time is spent on such. */
  private static final Duration QUICK = Duration.ofMillis(50);

  private static final int REST = 9;
  private static final Duration LONGEST_REST = Duration.ofSeconds(5);

  /** A backend on its server. */
  public record Backend(ShardId shard, int processId) {}

  /**
   * A session whose statement has not ended for a while.
   *
   * @param mark as its backends show it
   * @param backends all of the session's
   * @param waiting those that have not answered
   * @param interruptible the statement can still be ended
   * @param ending it is being ended: whoever waits for it need not be
   * @param end ends the statement if it still runs; called from any thread
   */
  public record Published(
      long mark,
      Set<Backend> backends,
      Set<Backend> waiting,
      boolean interruptible,
      boolean ending,
      Runnable end) {
    public Published {
      backends = Set.copyOf(backends);
      waiting = Set.copyOf(waiting);
    }
  }

  /** What a server shows: a backend that waits and one that blocks it; 0 for no mark. */
  public record Block(Backend waiting, long waiter, long since, Backend blocking, long blocker) {}

  /**
   * One session waits for another.
   *
   * @param since when it began, in microseconds of the server's clock
   */
  record Wait(long waiter, Backend backend, long since, long blocker) {}

  private final Map<Long, Published> published = new ConcurrentHashMap<>();
  private final AtomicBoolean looking = new AtomicBoolean();
  private final LongSupplier nanos;

  // Of whoever looks.
  private long looker = NOBODY;
  private final Map<ShardId, Set<Wait>> lastNarrow = new HashMap<>();
  private final Map<ShardId, Set<Wait>> lastWide = new HashMap<>();
  private final Map<Set<Long>, Long> firstSeen = new HashMap<>();
  private boolean wide;
  private boolean suspected;
  private long wideAt;
  private long lookAgainAt;
  private Set<ShardId> asked = Set.of();

  public Deadlocks() {
    this(System::nanoTime);
  }

  Deadlocks(LongSupplier nanos) {
    this.nanos = nanos;
    this.wideAt = nanos.getAsLong() - WIDE_NANOS;
    this.lookAgainAt = nanos.getAsLong();
  }

  public void publish(Published session) {
    published.put(session.mark(), session);
  }

  public void withdraw(long mark) {
    published.remove(mark);
  }

  /**
   * Lets a published session look, unless another one does: the backends of this router's sessions
   * that wait. The caller must call {@link #looked} afterwards.
   */
  public Optional<Set<Backend>> look(long mark) {
    if (!looking.compareAndSet(false, true)) {
      return Optional.empty();
    }
    // A looker has connections to the servers for it; another one would need its own.
    boolean another = looker != mark && published.containsKey(looker);
    if (another || nanos.getAsLong() - lookAgainAt < 0) {
      looking.set(false);
      return Optional.empty();
    }
    looker = mark;
    wide = false;
    Set<Backend> waiting =
        published.values().stream().flatMap(p -> p.waiting().stream()).collect(Collectors.toSet());
    asked = waiting.stream().map(Backend::shard).collect(Collectors.toSet());
    return Optional.of(waiting);
  }

  /** True when all shards must be asked: somebody of another router who blocks may wait there. */
  public boolean wide(Map<ShardId, Set<Block>> answers) {
    Set<Long> open = new HashSet<>();
    waits(answers).values().forEach(here -> here.forEach(w -> open.add(w.blocker())));
    published
        .keySet()
        .forEach(mine -> open.removeIf(blocker -> SessionMark.siblings(mine, blocker)));
    long now = nanos.getAsLong();
    if (!open.isEmpty() && now - wideAt >= (suspected ? SUSPECTED_NANOS : WIDE_NANOS)) {
      wideAt = now;
      wide = true;
    }
    return wide;
  }

  /**
   * Takes what the servers said, and ends one statement of each cycle that was there before.
   *
   * @param answers of those that answered
   * @param slowest what the slowest answer took
   * @return true when there may be a cycle, and another look soon would tell whether it is real
   */
  public boolean looked(Map<ShardId, Set<Block>> answers, Duration slowest) {
    try {
      rest(slowest);
      if (!answers.keySet().containsAll(asked)) {
        looker = NOBODY; // another may have better connections
      }
      return search(waits(answers));
    } finally {
      looking.set(false);
    }
  }

  private void rest(Duration slowest) {
    Duration rest = slowest.compareTo(QUICK) < 0 ? Duration.ZERO : slowest.multipliedBy(REST);
    lookAgainAt =
        nanos.getAsLong() + (rest.compareTo(LONGEST_REST) < 0 ? rest : LONGEST_REST).toNanos();
  }

  private boolean search(Map<ShardId, Set<Wait>> now) {
    Set<Wait> all = new HashSet<>();
    Set<Wait> sure = new HashSet<>();
    now.forEach(
        (shard, waits) -> {
          Set<Wait> before = new HashSet<>(lastNarrow.getOrDefault(shard, Set.of()));
          before.addAll(lastWide.getOrDefault(shard, Set.of()));
          all.addAll(waits);
          waits.stream().filter(before::contains).forEach(sure::add);
          (wide ? lastWide : lastNarrow).put(shard, waits);
        });
    WaitGraph graph = new WaitGraph(sure);
    List<List<Long>> cycles = graph.cycles();
    boolean maybe = !new WaitGraph(all).cycles().isEmpty();
    if (wide) {
      suspected = maybe;
      firstSeen.keySet().retainAll(cycles.stream().map(Set::copyOf).toList());
    }
    cycles.forEach(cycle -> endOne(graph, cycle));
    return maybe && cycles.isEmpty();
  }

  /** Own backends are known by their numbers too, should they have lost their mark. */
  private Map<ShardId, Set<Wait>> waits(Map<ShardId, Set<Block>> answers) {
    Map<Backend, Long> own = new HashMap<>();
    published.values().forEach(p -> p.backends().forEach(b -> own.put(b, p.mark())));
    Map<ShardId, Set<Wait>> waits = new HashMap<>();
    answers.forEach(
        (shard, blocks) -> {
          Set<Wait> here = waits.computeIfAbsent(shard, s -> new HashSet<>());
          for (Block block : blocks) {
            long waiter = own.getOrDefault(block.waiting(), block.waiter());
            long blocker = own.getOrDefault(block.blocking(), block.blocker());
            if (waiter != NOBODY && blocker != NOBODY) {
              here.add(new Wait(waiter, block.waiting(), block.since(), blocker));
            }
          }
        });
    return waits;
  }

  private void endOne(WaitGraph graph, List<Long> cycle) {
    if (cycle.stream().map(published::get).anyMatch(p -> p != null && p.ending())) {
      return;
    }
    List<Long> order =
        cycle.stream()
            .sorted(
                Comparator.<Long>comparingLong(session -> graph.since(session, cycle))
                    .thenComparing(Comparator.naturalOrder())
                    .reversed())
            .toList();
    long seen = firstSeen.computeIfAbsent(Set.copyOf(cycle), c -> nanos.getAsLong());
    long turn = (nanos.getAsLong() - seen) / TURN_NANOS;
    boolean ours = published.keySet().containsAll(cycle);
    order.stream()
        .skip(ours ? 0 : turn % order.size())
        .limit(ours ? order.size() : 1)
        .map(published::get)
        .filter(p -> p != null && p.interruptible())
        .findFirst()
        .ifPresent(victim -> victim.end().run());
  }
}
