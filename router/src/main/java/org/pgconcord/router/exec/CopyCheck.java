package org.pgconcord.router.exec;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.router.backend.BackendConnection;
import org.pgconcord.router.backend.BackendListener;
import org.pgconcord.router.backend.BackendRequest;
import org.pgconcord.router.backend.ShardErrorException;
import org.pgconcord.router.wire.ErrorFields;
import org.pgconcord.router.wire.Frame;
import org.pgconcord.router.wire.TransactionStatus;

/** A COPY FROM of no rows: what is wrong with it before any row is, its shard says. */
final class CopyCheck implements BackendListener {
  private final BackendConnection backend;
  private final byte[] header;
  private final CompletableFuture<Void> agreed = new CompletableFuture<>();
  private @Nullable ErrorFields failure;

  private CopyCheck(BackendConnection backend, byte[] header) {
    this.backend = backend;
    this.header = header;
  }

  /**
   * Fails with the shard's error once the shard is ready again.
   *
   * @param header what the client's data has in front of its rows
   */
  static CompletableFuture<Void> run(BackendConnection backend, String sql, byte[] header) {
    CopyCheck check = new CopyCheck(backend, header);
    backend.send(new BackendRequest.Query(sql), check);
    return check.agreed;
  }

  @Override
  public boolean copyIn(Frame response) {
    backend.copyData(header, 0, header.length);
    backend.copyDone();
    return true;
  }

  @Override
  public void error(Frame frame) {
    failure = ErrorFields.read(frame);
  }

  @Override
  public void ready(TransactionStatus status) {
    if (failure == null) {
      agreed.complete(null);
    } else {
      agreed.completeExceptionally(new ShardErrorException(backend.shard(), failure));
    }
  }

  @Override
  public void lost(ConcordException cause) {
    agreed.completeExceptionally(cause);
  }
}
