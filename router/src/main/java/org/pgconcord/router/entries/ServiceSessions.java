package org.pgconcord.router.entries;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.gsi.EntryStatement;
import org.pgconcord.router.backend.BackendConnection;
import org.pgconcord.router.backend.BackendRole;
import org.pgconcord.router.backend.Backends;
import org.pgconcord.router.backend.QueryResult;

/**
 * The service-role backends of a session. Their waits for locks end: at the smaller of the router's
 * own limit and the client's {@code lock_timeout}, in which 0 sets no limit.
 */
public final class ServiceSessions {
  private static final String BEGIN = "BEGIN ISOLATION LEVEL READ COMMITTED";

  /** Entries that one statement takes. */
  static final int AT_ONCE = 2_000;

  private final Backends backends;
  private final Duration limit;
  private final Supplier<Duration> clientLimit;
  private final Map<BackendConnection, Long> session = new WeakHashMap<>();
  private final Map<BackendConnection, Long> transaction = new WeakHashMap<>();

  /**
   * @param limit the router's own
   * @param clientLimit the client's {@code lock_timeout}; zero for none
   */
  public ServiceSessions(Backends backends, Duration limit, Supplier<Duration> clientLimit) {
    this.backends = backends;
    this.limit = limit;
    this.clientLimit = clientLimit;
  }

  /** The limit in force. */
  public Duration lockTimeout() {
    Duration client = clientLimit.get();
    return client.isZero() || client.compareTo(limit) > 0 ? limit : client;
  }

  /** A backend outside the session's transaction; never the client's. */
  public CompletableFuture<BackendConnection> acquire(ShardId shard, BackendRole role) {
    return backends
        .acquire(shard, role)
        .thenApply(backend -> limited(backend, session, "SET lock_timeout = "));
  }

  /** PRE or POST, inside its transaction, with the savepoints that the session has set. */
  CompletableFuture<BackendConnection> enlist(ShardId shard, BackendRole role) {
    return backends
        .enlist(shard, role, BEGIN)
        .thenApply(backend -> limited(backend, transaction, "SET LOCAL lock_timeout = "));
  }

  /** Not waited for: requests are answered in order. A backend without limit goes. */
  @SuppressWarnings("FutureReturnValueIgnored")
  private BackendConnection limited(
      BackendConnection backend, Map<BackendConnection, Long> known, String set) {
    long millis = lockTimeout().toMillis();
    Long before = known.put(backend, millis);
    if (before == null || before != millis) {
      backend
          .query(set + millis, List.of())
          .whenComplete(
              (done, failure) -> {
                if (failure != null) {
                  backend.close();
                }
              });
    }
    return backend;
  }

  /** The transaction has ended or gone back to a savepoint, and with it what was set in it. */
  public void limitsForgotten() {
    transaction.clear();
  }

  /** Runs one statement outside any transaction. */
  public CompletableFuture<QueryResult> query(
      ShardId shard, BackendRole role, EntryStatement statement) {
    return acquire(shard, role).thenCompose(backend -> query(backend, statement));
  }

  static CompletableFuture<QueryResult> query(BackendConnection backend, EntryStatement statement) {
    return backend.query(statement.sql(), statement.parameters());
  }

  /** Runs a statement over parts of the list, one part after the other. */
  static <T> CompletableFuture<Void> queryAll(
      BackendConnection backend, List<T> list, Function<List<T>, EntryStatement> statement) {
    CompletableFuture<Void> all = CompletableFuture.completedFuture(null);
    for (int from = 0; from < list.size(); from += AT_ONCE) {
      List<T> part = list.subList(from, Math.min(list.size(), from + AT_ONCE));
      all =
          all.thenCompose(before -> query(backend, statement.apply(part))).thenAccept(result -> {});
    }
    return all;
  }
}
