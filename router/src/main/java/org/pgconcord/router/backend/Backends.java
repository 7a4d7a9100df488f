package org.pgconcord.router.backend;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import org.pgconcord.config.value.ShardId;

/**
 * The backends of one session: at most one per shard and role, opened at the first need. A client
 * backend is handed out only when it has the session's settings. Used on the session's event loop;
 * the returned futures complete there (at once when the backend is open and in step).
 */
public interface Backends {

  /** The authoritative shard, to which everything without a declared table goes. */
  ShardId home();

  /** By which any router knows on a server the backends of this session. */
  SessionMark mark();

  /**
   * A backend outside any transaction: committed settings are brought up to date first. For a
   * backend inside a transaction it is the same as {@link #enlist}.
   */
  CompletableFuture<BackendConnection> acquire(ShardId shard, BackendRole role);

  /**
   * A backend inside the session's transaction: when it is idle its committed settings are brought
   * up to date and {@code begin} (such as {@code BEGIN ISOLATION LEVEL REPEATABLE READ}) is sent.
   * The settings and savepoints of this transaction that it has not heard are repeated in it; a
   * service backend hears of savepoints alone.
   */
  CompletableFuture<BackendConnection> enlist(ShardId shard, BackendRole role, String begin);

  /**
   * A backend of the client on this very server, outside any transaction, as {@link #acquire} gives
   * one on the shard's primary. Whether the server may be read is the caller's question.
   */
  CompletableFuture<BackendConnection> acquireReplica(ShardId shard, InetSocketAddress server);

  /** The same inside the session's transaction, as {@link #enlist} does. */
  CompletableFuture<BackendConnection> enlistReplica(
      ShardId shard, InetSocketAddress server, String begin);

  /**
   * Sets a savepoint in the open transaction. Each backend in it hears of it before the next thing
   * that it is enlisted for.
   *
   * @param name a bare identifier that the transaction has not used before
   */
  void savepoint(String name);

  /**
   * Undoes on all backends what was done since the savepoint. Fails when one of them is lost or
   * refuses; the transaction can only be rolled back then.
   */
  CompletableFuture<Void> rollbackTo(String name);

  /** Forgets the savepoint and those after it, and keeps what was done. Fails likewise. */
  CompletableFuture<Void> release(String name);

  /**
   * The home backend holds something of the client's from now on that no other can take over: locks
   * or channels. The session ends with it, until DISCARD ALL.
   */
  void keepHome();

  /** Whether it does. */
  boolean keepsHome();

  /** The open backends, of both roles. */
  Collection<BackendConnection> connections();

  /** What is sent to any of them is seen by this from now on. */
  void watch(Traffic seeing);

  /**
   * Whether a backend that is not open yet may be waited for while its shard has no primary, as
   * long as the router allows. At first it may.
   */
  void awaitPrimaries(boolean on);

  /** Whether somebody, of any session, waits for this shard's primary. */
  boolean awaited(ShardId shard);

  /** Cancels what runs on any of them, and ends what is waited for. */
  void cancelRunning();

  /**
   * From now on a shard whose server hangs, though its connections stand, is given up with all its
   * backends here; one that lives may take its time. Until {@link #patient}.
   */
  void attend();

  /**
   * From now on whoever of them owes an answer must give a sign of it within the router's limit, or
   * within {@code most} where that is less. Until {@link #patient}.
   */
  void hurry(Duration most);

  /** They may take any time. */
  void patient();

  /** Closes all of them. */
  void close();
}
