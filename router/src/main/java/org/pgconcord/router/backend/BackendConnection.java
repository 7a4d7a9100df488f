package org.pgconcord.router.backend;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.wire.ParameterTypes;
import org.pgconcord.router.wire.TransactionStatus;

/**
 * One session's connection to one shard as one role. Used on the session's event loop only; never
 * blocks. Requests may be sent before earlier ones are answered; they are answered in order.
 */
public interface BackendConnection {

  ShardId shard();

  BackendRole role();

  /** The server's number of this session, as in pg_stat_activity. */
  int processId();

  /** Sends the request; a closed connection answers with {@link BackendListener#lost}. */
  void send(BackendRequest request, BackendListener listener);

  /**
   * Runs a statement of the router's own with text parameters and collects its rows. Completes on
   * the event loop; exceptionally with {@link ShardErrorException} (after ReadyForQuery) or a
   * {@code ConcordException} when the connection is lost.
   */
  CompletableFuture<QueryResult> query(String sql, List<@Nullable String> parameters);

  /** Sends the request and collects its rows as text; ends as the other {@code query} does. */
  CompletableFuture<QueryResult> query(BackendRequest request);

  /** Data for the COPY that the server waits for; not waited for, see {@link #copyWritable}. */
  void copyData(byte[] bytes, int from, int to);

  /** The end of the COPY's data. */
  void copyDone();

  /** Ends the COPY; the server answers with an error. */
  void copyFail(String message);

  /** Data that is given now leaves soon; else {@link BackendListener#copyWritable} will tell. */
  boolean copyWritable();

  /** The server has prepared this text under a name. */
  boolean hasPrepared(String sql, ParameterTypes types);

  /** A parameter as the server has reported it; empty for one that it does not report. */
  String parameter(String name);

  /** The status that the last answered request left. */
  TransactionStatus status();

  /** A request is not yet answered. */
  boolean busy();

  boolean open();

  /**
   * Asks the server to cancel what runs here, when something does. Requests sent afterwards wait
   * until the server has closed the cancelling connection, so that none of them is hit by it.
   */
  void cancel();

  /** Ends the connection; requests under way are lost. A transaction in it is rolled back. */
  void close();
}
