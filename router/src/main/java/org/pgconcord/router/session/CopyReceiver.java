package org.pgconcord.router.session;

import org.pgconcord.router.wire.ErrorFields;

/**
 * Takes the data of a COPY FROM STDIN from the client, in parts that end anywhere. After {@link
 * #done}, {@link #fail} or {@link #broken} nothing more comes; the call still ends through its
 * sink. Called on the session's event loop.
 */
public interface CopyReceiver {

  /**
   * Before anything else.
   *
   * @param more to be run when {@link #ready} has become true again
   */
  void begin(Runnable more);

  /** False while no data should come. What is on its way may still come. */
  boolean ready();

  void data(byte[] bytes);

  /** The client has sent everything. */
  void done();

  /** The client gives up. */
  void fail(String message);

  /** The client has sent what has no place in a COPY: the COPY fails with this error. */
  void broken(ErrorFields error);
}
