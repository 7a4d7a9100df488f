package org.pgconcord.router.exec;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.router.backend.BackendConnection;
import org.pgconcord.router.backend.BackendListener;
import org.pgconcord.router.backend.BackendRequest;
import org.pgconcord.router.backend.ShardErrorException;
import org.pgconcord.router.wire.ErrorFields;
import org.pgconcord.router.wire.Frame;
import org.pgconcord.router.wire.ParameterTypes;
import org.pgconcord.router.wire.RowDescription;
import org.pgconcord.router.wire.TransactionStatus;

/**
 * What a backend says of a statement before it runs.
 *
 * @param rows the columns that it returns, all in text format; none when it returns no rows
 * @param types of its parameters
 */
record DescribedStatement(RowDescription rows, ParameterTypes types) {

  /** How many columns it returns. */
  int columns() {
    return rows.fields().size();
  }

  static CompletableFuture<DescribedStatement> ask(
      BackendConnection backend, String sql, ParameterTypes declared) {
    return ask(backend, sql, false, declared);
  }

  /** {@code named}: the backend has it prepared from then on. */
  static CompletableFuture<DescribedStatement> ask(
      BackendConnection backend, String sql, boolean named, ParameterTypes declared) {
    Answer answer = new Answer(backend);
    backend.send(new BackendRequest.DescribeStatement(sql, named, declared), answer);
    return answer.described;
  }

  private static final class Answer implements BackendListener {
    private final BackendConnection backend;
    private final CompletableFuture<DescribedStatement> described = new CompletableFuture<>();
    private RowDescription rows = new RowDescription(List.of());
    private ParameterTypes types = ParameterTypes.NONE;
    private @Nullable ErrorFields failure;

    Answer(BackendConnection backend) {
      this.backend = backend;
    }

    @Override
    public void parameterDescription(Frame frame) {
      types = ParameterTypes.read(frame);
    }

    @Override
    public void rowDescription(Frame frame) {
      rows = RowDescription.read(frame);
    }

    @Override
    public void error(Frame frame) {
      failure = ErrorFields.read(frame);
    }

    @Override
    public void ready(TransactionStatus status) {
      if (failure == null) {
        described.complete(new DescribedStatement(rows, types));
      } else {
        described.completeExceptionally(new ShardErrorException(backend.shard(), failure));
      }
    }

    @Override
    public void lost(ConcordException cause) {
      described.completeExceptionally(cause);
    }
  }
}
