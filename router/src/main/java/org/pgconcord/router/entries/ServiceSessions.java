package org.pgconcord.router.entries;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.CompletableFuture;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.gsi.EntryStatement;
import org.pgconcord.router.backend.BackendConnection;
import org.pgconcord.router.backend.BackendRole;
import org.pgconcord.router.backend.Backends;
import org.pgconcord.router.backend.QueryResult;

/** The service-role backends of a session, each under the lock timeout from its first statement. */
public final class ServiceSessions {
  private final Backends backends;
  private final Duration lockTimeout;
  private final Set<BackendConnection> limited = Collections.newSetFromMap(new WeakHashMap<>());

  public ServiceSessions(Backends backends, Duration lockTimeout) {
    this.backends = backends;
    this.lockTimeout = lockTimeout;
  }

  public Duration lockTimeout() {
    return lockTimeout;
  }

  /** A backend whose waits for locks end; never the client's. */
  public CompletableFuture<BackendConnection> acquire(ShardId shard, BackendRole role) {
    return backends.acquire(shard, role).thenCompose(this::limited);
  }

  private CompletableFuture<BackendConnection> limited(BackendConnection backend) {
    if (limited.contains(backend)) {
      return CompletableFuture.completedFuture(backend);
    }
    return backend
        .query("SET lock_timeout = " + lockTimeout.toMillis(), List.of())
        .thenApply(
            done -> {
              limited.add(backend);
              return backend;
            });
  }

  /** Runs one statement outside any transaction. */
  public CompletableFuture<QueryResult> query(
      ShardId shard, BackendRole role, EntryStatement statement) {
    return acquire(shard, role).thenCompose(backend -> query(backend, statement));
  }

  static CompletableFuture<QueryResult> query(BackendConnection backend, EntryStatement statement) {
    return backend.query(statement.sql(), statement.parameters());
  }
}
