package org.pgconcord.router.backend;

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

  /**
   * A backend outside any transaction: committed settings are brought up to date first. For a
   * backend inside a transaction it is the same as {@link #enlist}.
   */
  CompletableFuture<BackendConnection> acquire(ShardId shard, BackendRole role);

  /**
   * A client backend inside the session's transaction: when it is idle its committed settings are
   * brought up to date, {@code begin} (such as {@code BEGIN ISOLATION LEVEL REPEATABLE READ}) is
   * sent, and the settings that this transaction made so far are repeated in it.
   */
  CompletableFuture<BackendConnection> enlist(ShardId shard, String begin);

  /** The open backends, of both roles. */
  Collection<BackendConnection> connections();

  /** Cancels what runs on any of them. */
  void cancelRunning();

  /** Closes all of them. */
  void close();
}
