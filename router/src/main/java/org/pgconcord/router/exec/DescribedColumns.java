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
import org.pgconcord.router.wire.RowDescription;
import org.pgconcord.router.wire.TransactionStatus;

/** Asks a backend how many columns a statement returns. */
final class DescribedColumns implements BackendListener {
  private final BackendConnection backend;
  private final CompletableFuture<Integer> count = new CompletableFuture<>();
  private int columns;
  private @Nullable ErrorFields failure;

  private DescribedColumns(BackendConnection backend) {
    this.backend = backend;
  }

  static CompletableFuture<Integer> count(
      BackendConnection backend, BackendRequest.DescribeStatement request) {
    DescribedColumns listener = new DescribedColumns(backend);
    backend.send(request, listener);
    return listener.count;
  }

  @Override
  public void rowDescription(Frame frame) {
    columns = RowDescription.read(frame).fields().size();
  }

  @Override
  public void error(Frame frame) {
    failure = ErrorFields.read(frame);
  }

  @Override
  public void ready(TransactionStatus status) {
    if (failure == null) {
      count.complete(columns);
    } else {
      count.completeExceptionally(new ShardErrorException(backend.shard(), failure));
    }
  }

  @Override
  public void lost(ConcordException cause) {
    count.completeExceptionally(cause);
  }
}
