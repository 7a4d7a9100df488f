package org.pgconcord.router.session;

import org.pgconcord.config.error.ConcordException;
import org.pgconcord.router.wire.ErrorFields;
import org.pgconcord.router.wire.Frame;
import org.pgconcord.router.wire.RowDescription;

/**
 * Takes the result of one {@link StatementCall}, in the order of the protocol: description (when
 * asked for), rows, then one of {@link #complete}, {@link #emptyQuery}, {@link #suspended} and
 * {@link #error}, and at last {@link #done}. Notices come at any time. An error may follow a
 * completion: a commit can fail at the very end. A description that the client did not ask for is
 * dropped here, and NoData is added where it asked and none came, so a runner may always describe.
 *
 * <p>Frames are taken over for sending without a copy (the sink retains them itself). Back-pressure
 * is the session's business: while the client does not read, no backend of the session is read.
 * Called on the session's event loop.
 */
public interface ResultSink {

  /** Statement and parameters are accepted; implied by everything below but an error. */
  void bound();

  void rowDescription(Frame frame);

  default void rowDescription(RowDescription description) {
    rowDescription(description.toFrame());
  }

  void noData();

  void rows(Frame rows);

  /** CopyInResponse as a shard sent it: from now on the client's data goes to the receiver. */
  void copyIn(Frame response, CopyReceiver receiver);

  /** A CopyInResponse of our own. */
  void copyIn(boolean binary, int columns, CopyReceiver receiver);

  /** CopyOutResponse as a shard sent it; {@link #copyData} and {@link #copyDone} follow. */
  void copyOut(Frame response);

  /** One or more CopyData messages. */
  void copyData(Frame frame);

  void copyData(byte[] bytes);

  void copyDone();

  /** A row made here, of text values. */
  void row(java.util.List<@org.jspecify.annotations.Nullable String> values);

  /** CommandComplete as a shard sent it. */
  void complete(Frame frame);

  void complete(String tag);

  void emptyQuery();

  void suspended();

  void notice(Frame frame);

  void notice(ErrorFields fields);

  /** An ErrorResponse as a shard sent it: passed through whole. */
  void error(Frame frame);

  void error(ErrorFields fields);

  default void error(ConcordException error) {
    error(ErrorFields.of(error));
  }

  /** Nothing follows; the runner's {@link StatementRunner#status} is up to date. Exactly once. */
  void done();
}
