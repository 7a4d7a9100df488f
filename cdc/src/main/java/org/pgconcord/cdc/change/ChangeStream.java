package org.pgconcord.cdc.change;

import org.pgconcord.config.value.Lsn;

/**
 * The changes of one owner shard from the slot's confirmed position on. After a restart the stream
 * delivers again whatever was not acknowledged, from a transaction's first row: at least once,
 * whole transactions, in commit order. The receiver drops what it has already applied.
 */
public interface ChangeStream extends AutoCloseable {
  /** Starts delivery on the stream's own thread. Once only. */
  void start(ChangeListener listener);

  /**
   * Everything up to {@code durable} (commit positions and message positions, inclusive) is durable
   * with the receiver. The slot moves no further than the last whole transaction or message at or
   * before it, some time later. Never blocks; any thread.
   */
  void acknowledge(Lsn durable);

  /** Stops delivery and waits until the listener's last call has returned. The slot stays. */
  @Override
  void close();
}
