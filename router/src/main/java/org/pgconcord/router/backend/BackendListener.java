package org.pgconcord.router.backend;

import org.pgconcord.config.error.ConcordException;
import org.pgconcord.router.wire.Frame;
import org.pgconcord.router.wire.TransactionStatus;

/**
 * Hears the answer to one request, in the order of the protocol, on the session's event loop.
 * Exactly one of {@link #ready} and {@link #lost} comes, last. Frames are valid during the call.
 */
public interface BackendListener {

  /** Statement and parameters were accepted (BindComplete). */
  default void bound() {}

  default void parameterDescription(Frame frame) {}

  default void rowDescription(Frame frame) {}

  /** The statement returns no rows (NoData). */
  default void noData() {}

  /** One or more DataRow messages. */
  default void rows(Frame rows) {}

  /** CommandComplete. Outside a transaction the commit may still fail: see {@link #error}. */
  default void complete(Frame frame) {}

  default void emptyQuery() {}

  /**
   * The server waits for the data of a COPY, which goes to the connection's {@code copyData} and
   * ends with {@code copyDone} or {@code copyFail}. False when this request is none that may copy:
   * it is then ended with an error.
   */
  default boolean copyIn(Frame response) {
    return false;
  }

  /** What was written of a COPY's data has left: there is room for more. */
  default void copyWritable() {}

  /** The server begins to send the data of a COPY; false as for {@link #copyIn}. */
  default boolean copyOut(Frame response) {
    return false;
  }

  /** One CopyData message. */
  default void copyData(Frame frame) {}

  /** The server has sent all data of a COPY. */
  default void copyDone() {}

  /** The row limit was reached; the portal can be continued. */
  default void suspended() {}

  default void notice(Frame frame) {}

  /** An ErrorResponse; {@link #ready} follows, or {@link #lost} when it was fatal. */
  default void error(Frame frame) {}

  /** The ErrorResponse of what had to succeed before the statement, which has not run. */
  default void fenced(Frame frame) {
    error(frame);
  }

  /** The backend has answered everything and is in {@code status}. */
  void ready(TransactionStatus status);

  /** The connection ended before its answer did: whether the request had an effect is unknown. */
  void lost(ConcordException cause);
}
