package org.pgconcord.router.tx;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.backend.BackendConnection;
import org.pgconcord.router.backend.BackendListener;
import org.pgconcord.router.backend.BackendRequest;
import org.pgconcord.router.backend.BackendRole;
import org.pgconcord.router.backend.Backends;
import org.pgconcord.router.backend.QueryResult;
import org.pgconcord.router.backend.SessionMark;
import org.pgconcord.router.backend.Traffic;
import org.pgconcord.router.wire.ParameterTypes;
import org.pgconcord.router.wire.TransactionStatus;

/** Kills a backend of the session on the server, just before its nth statement on any backend. */
final class KillBefore {
  private final int at;
  private final Predicate<BackendRole> kill;
  private final BackendRole victim;
  private int statements;
  private boolean reached;
  private boolean killed;

  KillBefore(int at, Predicate<BackendRole> kill, BackendRole victim) {
    this.at = at;
    this.kill = kill;
    this.victim = victim;
  }

  boolean reached() {
    return reached;
  }

  boolean killed() {
    return killed;
  }

  /** How many it has seen. */
  int statements() {
    return statements;
  }

  Backends around(Backends backends) {
    return new Watched(backends);
  }

  private void count() {
    statements++;
    if (statements == at) {
      reached = true;
      killed = kill.test(victim);
    }
  }

  private final class Watched implements Backends {
    private final Backends inner;
    private final Map<BackendConnection, BackendConnection> known = new HashMap<>();

    Watched(Backends inner) {
      this.inner = inner;
    }

    private BackendConnection watched(BackendConnection connection) {
      return known.computeIfAbsent(connection, Connection::new);
    }

    @Override
    public ShardId home() {
      return inner.home();
    }

    @Override
    public SessionMark mark() {
      return inner.mark();
    }

    @Override
    public CompletableFuture<BackendConnection> acquire(ShardId shard, BackendRole role) {
      return inner.acquire(shard, role).thenApply(this::watched);
    }

    @Override
    public CompletableFuture<BackendConnection> enlist(
        ShardId shard, BackendRole role, String begin) {
      return inner.enlist(shard, role, begin).thenApply(this::watched);
    }

    @Override
    public CompletableFuture<BackendConnection> acquireReplica(
        ShardId shard, InetSocketAddress server) {
      return inner.acquireReplica(shard, server).thenApply(this::watched);
    }

    @Override
    public CompletableFuture<BackendConnection> enlistReplica(
        ShardId shard, InetSocketAddress server, String begin) {
      return inner.enlistReplica(shard, server, begin).thenApply(this::watched);
    }

    @Override
    public void savepoint(String name) {
      inner.savepoint(name);
    }

    @Override
    public CompletableFuture<Void> rollbackTo(String name) {
      count();
      return inner.rollbackTo(name);
    }

    @Override
    public CompletableFuture<Void> release(String name) {
      count();
      return inner.release(name);
    }

    @Override
    public Collection<BackendConnection> connections() {
      return inner.connections();
    }

    @Override
    public void keepHome() {
      inner.keepHome();
    }

    @Override
    public boolean keepsHome() {
      return inner.keepsHome();
    }

    @Override
    public void watch(Traffic seeing) {
      inner.watch(seeing);
    }

    @Override
    public void awaitPrimaries(boolean on) {
      inner.awaitPrimaries(on);
    }

    @Override
    public boolean awaited(ShardId shard) {
      return inner.awaited(shard);
    }

    @Override
    public void attend() {
      inner.attend();
    }

    @Override
    public void hurry(Duration most) {
      inner.hurry(most);
    }

    @Override
    public void patient() {
      inner.patient();
    }

    @Override
    public void cancelRunning() {
      inner.cancelRunning();
    }

    @Override
    public void close() {
      inner.close();
    }
  }

  private final class Connection implements BackendConnection {
    private final BackendConnection inner;

    Connection(BackendConnection inner) {
      this.inner = inner;
    }

    @Override
    public ShardId shard() {
      return inner.shard();
    }

    @Override
    public BackendRole role() {
      return inner.role();
    }

    @Override
    public void send(BackendRequest request, BackendListener listener) {
      count();
      inner.send(request, listener);
    }

    @Override
    public CompletableFuture<QueryResult> query(String sql, List<@Nullable String> parameters) {
      count();
      return inner.query(sql, parameters);
    }

    @Override
    public CompletableFuture<QueryResult> query(BackendRequest request) {
      count();
      return inner.query(request);
    }

    @Override
    public boolean hasPrepared(String sql, ParameterTypes types) {
      return inner.hasPrepared(sql, types);
    }

    @Override
    public void copyData(byte[] bytes, int from, int to) {
      inner.copyData(bytes, from, to);
    }

    @Override
    public void copyDone() {
      inner.copyDone();
    }

    @Override
    public void copyFail(String message) {
      inner.copyFail(message);
    }

    @Override
    public boolean copyWritable() {
      return inner.copyWritable();
    }

    @Override
    public String parameter(String name) {
      return inner.parameter(name);
    }

    @Override
    public int processId() {
      return inner.processId();
    }

    @Override
    public TransactionStatus status() {
      return inner.status();
    }

    @Override
    public boolean busy() {
      return inner.busy();
    }

    @Override
    public boolean open() {
      return inner.open();
    }

    @Override
    public void cancel() {
      inner.cancel();
    }

    @Override
    public void close() {
      inner.close();
    }
  }
}
