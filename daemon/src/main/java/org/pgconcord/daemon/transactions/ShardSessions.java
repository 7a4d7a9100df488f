package org.pgconcord.daemon.transactions;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.pgconcord.config.atomic.Decision;
import org.pgconcord.config.atomic.GlobalId;
import org.pgconcord.config.atomic.PreparedTransactions;
import org.pgconcord.config.atomic.Sight;
import org.pgconcord.config.settings.ShardConnections;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.daemon.transactions.ShardLane.Work;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sessions of one round over the shards, opened when needed and closed with it. A shard that
 * does not answer within the round's patience counts as silent for the rest of it; all are asked at
 * once, so that one that hangs costs the others that patience, once. Used by one thread.
 */
final class ShardSessions implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(ShardSessions.class);

  /** For rounds that nobody waits for: more than it takes to connect, log in and answer. */
  static final Duration PATIENT = Duration.ofSeconds(45);

  /** For rounds that hold clients up. */
  static final Duration IMPATIENT = Duration.ofSeconds(2);

  private final ShardConnections connections;
  private final String anyDatabase;
  private final Duration patience;
  private final Map<ShardId, ShardLane> lanes = new HashMap<>();
  private final Map<ShardId, String> silent = new TreeMap<>();

  /**
   * @param anyDatabase a logical database that every shard has
   * @param hanging shards at which an earlier round still waits: silent in this one
   */
  ShardSessions(
      ShardConnections connections, String anyDatabase, Duration patience, Set<ShardId> hanging) {
    this.connections = connections;
    this.anyDatabase = anyDatabase;
    this.patience = patience;
    hanging.forEach(shard -> silent.put(shard, "it has not answered yet"));
  }

  /** What these shards hold; those that do not answer are left out. */
  Sight look(Set<ShardId> shards) {
    return Sight.of(askAll(shards, PreparedTransactions::seen));
  }

  /** Those that answer and take no prepared transactions. */
  Set<ShardId> refusing(Set<ShardId> shards) {
    Set<ShardId> refusing = new TreeSet<>();
    askAll(shards, PreparedTransactions::limit)
        .forEach(
            (shard, limit) -> {
              if (limit == 0) {
                refusing.add(shard);
              }
            });
    return refusing;
  }

  /** Ends one; empty when its shard does not answer or refuses. */
  Optional<PreparedTransactions.Answer> end(
      ShardId shard, String database, GlobalId gid, String owner, Decision decision) {
    if (silent.containsKey(shard)) {
      return Optional.empty();
    }
    return answer(
        shard,
        ask(shard, database, session -> PreparedTransactions.end(session, gid, owner, decision)),
        System.nanoTime() + patience.toNanos());
  }

  /** Shard -> why it does not answer. */
  Map<ShardId, String> silent() {
    return Map.copyOf(silent);
  }

  /** Shards at which this round still waits, and the ends of that. */
  Map<ShardId, CompletableFuture<Void>> hanging() {
    Map<ShardId, CompletableFuture<Void>> hanging = new HashMap<>();
    lanes.forEach((shard, lane) -> lane.underWay().ifPresent(end -> hanging.put(shard, end)));
    return hanging;
  }

  private <T> Map<ShardId, T> askAll(Set<ShardId> shards, Work<T> work) {
    Map<ShardId, Future<T>> asked = new HashMap<>();
    for (ShardId shard : shards) {
      if (!silent.containsKey(shard)) {
        asked.put(shard, ask(shard, anyDatabase, work));
      }
    }
    long deadline = System.nanoTime() + patience.toNanos();
    Map<ShardId, T> answers = new HashMap<>();
    asked.forEach(
        (shard, future) ->
            answer(shard, future, deadline).ifPresent(got -> answers.put(shard, got)));
    return answers;
  }

  private <T> Future<T> ask(ShardId shard, String database, Work<T> work) {
    return lanes.computeIfAbsent(shard, s -> new ShardLane(s, connections)).run(database, work);
  }

  private <T> Optional<T> answer(ShardId shard, Future<T> asked, long deadline) {
    try {
      long left = Math.max(0, deadline - System.nanoTime());
      return Optional.of(asked.get(left, TimeUnit.NANOSECONDS));
    } catch (ExecutionException e) {
      isSilent(shard, String.valueOf(e.getCause() == null ? e : e.getCause().getMessage()));
    } catch (TimeoutException e) {
      isSilent(shard, "it has not answered for " + patience.toMillis() + " ms");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      isSilent(shard, "interrupted");
    }
    return Optional.empty();
  }

  private void isSilent(ShardId shard, String cause) {
    log.warn("shard did not settle transactions shard={} cause=\"{}\"", shard, cause);
    silent.put(shard, cause);
  }

  @Override
  public void close() {
    List.copyOf(lanes.values()).forEach(ShardLane::close);
  }
}
