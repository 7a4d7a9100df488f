package org.pgconcord.cdc.change;

import org.jspecify.annotations.Nullable;

/**
 * Receives a stream, called by one thread at a time in commit order. A call may block: that is the
 * back-pressure, and the server keeps the log meanwhile.
 */
public interface ChangeListener {
  /** The receiver closes {@code transaction.changes()} when it needs them no more. */
  void transaction(SourceTransaction transaction) throws InterruptedException;

  void message(Message message) throws InterruptedException;

  /** The stream ended; {@code cause} is null after {@link ChangeStream#close}. The last call. */
  void ended(@Nullable Throwable cause);
}
