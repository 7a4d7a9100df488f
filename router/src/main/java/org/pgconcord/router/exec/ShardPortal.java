package org.pgconcord.router.exec;

import org.jspecify.annotations.Nullable;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.backend.BackendConnection;
import org.pgconcord.router.backend.BackendListener;
import org.pgconcord.router.backend.BackendRequest;
import org.pgconcord.router.tx.Failures;
import org.pgconcord.router.wire.ErrorFields;
import org.pgconcord.router.wire.Frame;
import org.pgconcord.router.wire.ParameterTypes;
import org.pgconcord.router.wire.Parameters;
import org.pgconcord.router.wire.TransactionStatus;

/** A query on one shard whose rows are fetched in portions. It lives as long as its transaction. */
final class ShardPortal {
  /** Hears what one request brings. */
  interface Listener {
    /** The columns, of a portal that has just been opened. */
    default void described(Frame description) {}

    /** Rows; the frame is valid during the call. */
    default void rows(Frame rows) {}

    void notice(Frame frame);

    /** The shard has answered, or is lost. Comes last, once. */
    void answered(@Nullable ErrorFields failure);
  }

  private final BackendConnection backend;
  private final String name;
  private boolean ended;

  /** {@code name}: no other portal on the backend has it. */
  ShardPortal(BackendConnection backend, String name) {
    this.backend = backend;
    this.name = name;
  }

  ShardId shard() {
    return backend.shard();
  }

  /** There are no more rows. */
  boolean ended() {
    return ended;
  }

  /** Takes its snapshot; no row is made yet. */
  void open(String sql, ParameterTypes types, Parameters values, Listener listener) {
    backend.send(new BackendRequest.Open(sql, types, values, name), new Answer(listener));
  }

  /** {@code most}: 0 for all that are left. */
  void next(int most, Listener listener) {
    backend.send(new BackendRequest.Continue(name, most), new Answer(listener));
  }

  void cancel() {
    backend.cancel();
  }

  void close() {
    if (backend.open()) {
      backend.send(new BackendRequest.ClosePortal(name), new Unheard());
    }
  }

  private final class Answer implements BackendListener {
    private final Listener listener;
    private @Nullable ErrorFields failure;

    Answer(Listener listener) {
      this.listener = listener;
    }

    @Override
    public void rowDescription(Frame frame) {
      listener.described(frame);
    }

    @Override
    public void rows(Frame rows) {
      listener.rows(rows);
    }

    @Override
    public void complete(Frame frame) {
      ended = true;
    }

    @Override
    public void notice(Frame frame) {
      listener.notice(frame);
    }

    @Override
    public void error(Frame frame) {
      failure = ErrorFields.read(frame);
    }

    @Override
    public void ready(TransactionStatus status) {
      listener.answered(failure);
    }

    @Override
    public void lost(ConcordException cause) {
      listener.answered(failure != null ? failure : Failures.fields(cause));
    }
  }

  /** For requests whose answer nobody waits for. */
  static final class Unheard implements BackendListener {
    @Override
    public void ready(TransactionStatus status) {}

    @Override
    public void lost(ConcordException cause) {}
  }
}
