package org.pgconcord.router.tx;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.replica.Floor;
import org.pgconcord.config.replica.ReplicaAnswer;
import org.pgconcord.config.replica.Replicas;
import org.pgconcord.config.replica.Sight;
import org.pgconcord.config.settings.ShardAddress;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.backend.BackendConnection;
import org.pgconcord.router.backend.Backends;
import org.pgconcord.router.session.SessionSettings;

/**
 * A session's backends on replicas, for reading. On the session's event loop.
 *
 * <h2>What a backend has proved when it leaves here</h2>
 *
 * It is in recovery, of the primary's system and timeline, and has replayed past a {@link Floor}:
 * the place in the primary's log that holds all that was committed by a certain moment. It said so
 * itself, on this connection, before the statement is sent, and outside the snapshot that the
 * statement will take: so whatever the watch believed, and whichever server has taken over an
 * address meanwhile, the statement sees the shard as of that moment or later.
 *
 * <p>The moment is the later of two: the session's bound before now, and the time at which this
 * router heard of the routing state that it plans under. The second keeps a replica from answering
 * under a state that it does not have the rows of yet: a copy that has just been filled or repaired
 * on the primary, tables that moved.
 *
 * <p>Inside a transaction the replica stays the same on each shard. In READ COMMITTED every
 * statement proves anew; where the snapshot is fixed the first one does, before BEGIN.
 *
 * <p>After a change of the state the floor is new, and so a replica is waited for a while, from the
 * change on. One that simply lags is not waited for.
 */
public final class ReplicaReads {
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private final Replicas replicas;
  private final Backends backends;
  private final SessionSettings settings;
  private final LongSupplier stateSince;
  private final Consumer<Runnable> soon;
  private final long session;
  private final Map<ShardId, ShardAddress> chosen = new HashMap<>();
  private final Map<ShardId, BackendConnection> begun = new LinkedHashMap<>();

  /**
   * @param stateSince when the current routing state was published
   * @param soon runs its argument a few milliseconds later, on the session's loop
   * @param session spreads sessions over replicas
   */
  public ReplicaReads(
      Replicas replicas,
      Backends backends,
      SessionSettings settings,
      LongSupplier stateSince,
      Consumer<Runnable> soon,
      long session) {
    this.replicas = replicas;
    this.backends = backends;
    this.settings = settings;
    this.stateSince = stateSince;
    this.soon = soon;
    this.session = session;
  }

  /** Of a session that has no replicas to read. */
  static ReplicaReads none(Backends backends, SessionSettings settings) {
    return new ReplicaReads(Replicas.NONE, backends, settings, System::nanoTime, work -> {}, 0);
  }

  /** The shards on which the open transaction has begun. */
  Set<ShardId> shards() {
    return begun.keySet();
  }

  /** Its backends. */
  Collection<BackendConnection> begun() {
    return begun.values();
  }

  /** The transaction has ended. */
  void left() {
    begun.clear();
  }

  /** A backend for one statement outside any transaction. */
  CompletableFuture<BackendConnection> backend(ShardId shard) {
    return new Search(shard, Optional.empty()).run();
  }

  /** A backend inside the session's transaction. */
  CompletableFuture<BackendConnection> backend(ShardId shard, String begin, boolean fixedSnapshot) {
    BackendConnection open = begun.get(shard);
    if (open == null) {
      return new Search(shard, Optional.of(begin)).run();
    }
    return fixedSnapshot
        ? CompletableFuture.completedFuture(open)
        : new Search(shard, Optional.of(begin)).again(open);
  }

  private long moment() {
    long bound = System.nanoTime() - settings.maxReplicaLag().toNanos();
    long state = stateSince.getAsLong();
    return state - bound > 0 ? state : bound;
  }

  /** The search for one backend. */
  private final class Search {
    private final ShardId shard;
    private final Optional<String> begin;
    private final List<String> obstacles = new ArrayList<>();
    private final CompletableFuture<BackendConnection> found = new CompletableFuture<>();

    Search(ShardId shard, Optional<String> begin) {
      this.shard = shard;
      this.begin = begin;
    }

    CompletableFuture<BackendConnection> run() {
      if (replicas.of(shard).isEmpty()) {
        found.completeExceptionally(
            ErrorCode.TARGET_NO_REPLICA.because(
                "the configuration names no replica of shard " + shard));
      } else {
        start();
      }
      return found;
    }

    /** The transaction's own replica, and no other. */
    CompletableFuture<BackendConnection> again(BackendConnection open) {
      Optional<Floor> floor = replicas.floor(shard, moment());
      return floor.isEmpty()
          ? CompletableFuture.failedFuture(refusal(List.of("the primary is not heard of")))
          : proof(open, floor.get())
              .thenCompose(
                  obstacle ->
                      obstacle.isEmpty()
                          ? CompletableFuture.completedFuture(open)
                          : CompletableFuture.failedFuture(
                              refusal(List.of("the transaction's replica: " + obstacle.get()))));
    }

    private void start() {
      obstacles.clear();
      Optional<Floor> floor = replicas.floor(shard, moment());
      Deque<ShardAddress> candidates = new ArrayDeque<>();
      for (Sight sight : replicas.of(shard)) {
        sight
            .obstacle(floor)
            .ifPresentOrElse(
                why -> obstacles.add(sight.address() + ": " + why),
                () -> candidates.add(sight.address()));
      }
      if (floor.isPresent()) {
        tryNext(inOrder(candidates), floor.get());
      } else {
        giveUp();
      }
    }

    /** Where the session has read before comes first; else sessions begin at different ones. */
    private Deque<ShardAddress> inOrder(Deque<ShardAddress> candidates) {
      for (long i = candidates.isEmpty() ? 0 : Math.floorMod(session, candidates.size());
          i > 0;
          i--) {
        candidates.addLast(candidates.removeFirst());
      }
      ShardAddress before = chosen.get(shard);
      if (before != null && candidates.remove(before)) {
        candidates.addFirst(before);
      }
      return candidates;
    }

    private void tryNext(Deque<ShardAddress> candidates, Floor floor) {
      if (candidates.isEmpty()) {
        giveUp();
        return;
      }
      ShardAddress address = candidates.removeFirst();
      InetSocketAddress server = InetSocketAddress.createUnresolved(address.host(), address.port());
      var unused =
          backends
              .acquireReplica(shard, server)
              .thenCompose(backend -> admitted(backend, address, server, floor))
              .whenComplete(
                  (backend, failure) -> {
                    if (backend != null) {
                      found.complete(backend);
                    } else {
                      obstacles.add(address + ": " + words(failure));
                      tryNext(candidates, floor);
                    }
                  });
    }

    private CompletableFuture<BackendConnection> admitted(
        BackendConnection backend, ShardAddress address, InetSocketAddress server, Floor floor) {
      return proof(backend, floor)
          .thenCompose(
              obstacle -> {
                if (obstacle.isPresent()) {
                  throw ErrorCode.TARGET_NO_REPLICA.because(obstacle.get());
                }
                chosen.put(shard, address);
                return begin
                    .map(
                        text ->
                            backends
                                .enlistReplica(shard, server, text)
                                .whenComplete(
                                    (open, failure) -> {
                                      if (open != null) {
                                        begun.put(shard, open);
                                      }
                                    }))
                    .orElseGet(() -> CompletableFuture.completedFuture(backend));
              });
    }

    /** Why the server behind the connection is not to be read. */
    private CompletableFuture<Optional<String>> proof(BackendConnection backend, Floor floor) {
      return backend
          .query(ReplicaAnswer.ASK, List.of())
          .thenApply(
              result -> {
                ReplicaAnswer answer = ReplicaAnswer.of(result.rows().get(0));
                if (!answer.inRecovery()) {
                  backend.close();
                }
                return floor.obstacle(answer);
              });
    }

    private void giveUp() {
      if (System.nanoTime() - stateSince.getAsLong() < PATIENCE.toNanos()) {
        soon.accept(this::start);
      } else {
        found.completeExceptionally(refusal(obstacles));
      }
    }

    private ConcordException refusal(List<String> why) {
      return ErrorCode.TARGET_NO_REPLICA
          .because("no replica of shard " + shard + " can be read")
          .withDetail(String.join("; ", why));
    }

    private String words(Throwable failure) {
      return Failures.fields(failure).message();
    }
  }
}
