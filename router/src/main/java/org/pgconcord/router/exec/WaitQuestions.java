package org.pgconcord.router.exec;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.backend.BackendConnection;
import org.pgconcord.router.backend.BackendRole;
import org.pgconcord.router.backend.Backends;
import org.pgconcord.router.backend.SessionMark;
import org.pgconcord.router.tx.Deadlocks.Backend;
import org.pgconcord.router.tx.Deadlocks.Block;

/**
 * Asks servers which backends wait for which, and whose they are. A server that does not answer
 * soon is left out, and its connection given up. On the session's event loop.
 */
final class WaitQuestions {
  private static final long LIMIT_MILLIS = 2_000;

  /**
   * All who wait, with those who block these of them, or the thousand longest waits; and the marks
   * of whom that concerns. Blockers are arrays: in a queue of a thousand they are half a million.
   */
  private static final String WAITS =
      """
      WITH held AS MATERIALIZED (SELECT * FROM pg_catalog.pg_locks),
      queue AS MATERIALIZED (
        SELECT pid, max(waitstart) AS since, what, bool_or(granted) AS holds
          FROM (SELECT pid, granted, waitstart,
                       ROW(locktype, database, relation, page, tuple, virtualxid, transactionid,
                           classid, objid, objsubid)::text AS what
                  FROM held WHERE pid IN (SELECT pid FROM held WHERE NOT granted)) AS theirs
         GROUP BY pid, what HAVING max(waitstart) IS NOT NULL),
      waits AS MATERIALIZED (
        SELECT pid, pg_catalog.pg_blocking_pids(pid) AS blockers FROM queue
         WHERE $1::int4[] IS NULL OR pid = ANY ($1::int4[]) ORDER BY since LIMIT 1000)
      SELECT pid, (extract(epoch FROM since) * 1000000)::int8, what, holds, blockers, NULL::int8
        FROM queue LEFT JOIN waits USING (pid)
      UNION ALL
      SELECT pid, NULL, NULL, NULL, NULL, %s FROM held
       WHERE %s
         AND pid IN (SELECT pid FROM waits UNION SELECT pg_catalog.unnest(blockers) FROM waits)
      """
          .formatted(SessionMark.VALUE, SessionMark.CONDITION);

  private final Backends backends;
  private final ScheduledExecutorService loop;
  private long slowest;

  WaitQuestions(Backends backends, ScheduledExecutorService loop) {
    this.backends = backends;
    this.loop = loop;
  }

  /** About these backends, on their shards. */
  CompletableFuture<Map<ShardId, Set<Block>>> about(Set<Backend> waiting) {
    Map<ShardId, Optional<String>> asked = new HashMap<>();
    waiting.stream()
        .collect(
            Collectors.groupingBy(
                Backend::shard,
                Collectors.mapping(
                    b -> String.valueOf(b.processId()), Collectors.joining(",", "{", "}"))))
        .forEach((shard, processIds) -> asked.put(shard, Optional.of(processIds)));
    return ask(asked);
  }

  /** About all who wait on these shards. */
  CompletableFuture<Map<ShardId, Set<Block>>> everybody(Set<ShardId> shards) {
    Map<ShardId, Optional<String>> asked = new HashMap<>();
    shards.forEach(shard -> asked.put(shard, Optional.empty()));
    return ask(asked);
  }

  private CompletableFuture<Map<ShardId, Set<Block>>> ask(Map<ShardId, Optional<String>> asked) {
    Map<ShardId, Set<Block>> answers = new HashMap<>();
    slowest = 0;
    List<CompletableFuture<?>> all = new ArrayList<>();
    asked.forEach(
        (shard, processIds) ->
            all.add(
                within(shard, processIds.orElse(null))
                    .thenAccept(got -> got.ifPresent(blocks -> answers.put(shard, blocks)))));
    return CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new))
        .thenApply(done -> answers);
  }

  /** Never fails. */
  private CompletableFuture<Optional<Set<Block>>> within(
      ShardId shard, @Nullable String processIds) {
    CompletableFuture<Optional<Set<Block>>> answer = new CompletableFuture<>();
    CompletableFuture<BackendConnection> backend =
        CompletableFuture.completedFuture(shard)
            .thenCompose(at -> backends.acquire(at, BackendRole.WATCH));
    ScheduledFuture<?> limit =
        loop.schedule(
            () -> {
              if (answer.complete(Optional.empty()) && backend.isDone()) {
                var unused = backend.thenAccept(BackendConnection::close);
              }
            },
            LIMIT_MILLIS,
            TimeUnit.MILLISECONDS);
    var unused =
        backend
            .thenCompose(asking -> ask(asking, shard, processIds))
            .whenComplete(
                (blocks, failure) -> {
                  limit.cancel(false);
                  answer.complete(Optional.ofNullable(blocks));
                });
    return answer;
  }

  private CompletableFuture<Set<Block>> ask(
      BackendConnection backend, ShardId shard, @Nullable String processIds) {
    long asked = System.nanoTime();
    return backend
        .query(WAITS, Collections.singletonList(processIds))
        .thenApply(
            result -> {
              Set<Block> blocks = new WaitRows(shard, result.rows()).blocks();
              slowest = Math.max(slowest, System.nanoTime() - asked);
              return blocks;
            });
  }

  /** What the slowest server took for the last question, to make its answer and to have it read. */
  Duration slowest() {
    return Duration.ofNanos(slowest);
  }
}
