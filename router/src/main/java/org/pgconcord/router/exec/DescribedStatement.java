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
import org.pgconcord.router.wire.ParameterTypes;
import org.pgconcord.router.wire.RowDescription;
import org.pgconcord.router.wire.TransactionStatus;

/**
 * What a backend says of a statement before it runs.
 *
 * @param columns how many columns it returns
 * @param types of its parameters
 */
record DescribedStatement(int columns, ParameterTypes types) {

  static CompletableFuture<DescribedStatement> ask(
      BackendConnection backend, String sql, ParameterTypes declared) {
    Answer answer = new Answer(backend);
    backend.send(new BackendRequest.DescribeStatement(sql, false, declared), answer);
    return answer.described;
  }

  private static final class Answer implements BackendListener {
    private final BackendConnection backend;
    private final CompletableFuture<DescribedStatement> described = new CompletableFuture<>();
    private int columns;
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
      columns = RowDescription.read(frame).fields().size();
    }

    @Override
    public void error(Frame frame) {
      failure = ErrorFields.read(frame);
    }

    @Override
    public void ready(TransactionStatus status) {
      if (failure == null) {
        described.complete(new DescribedStatement(columns, types));
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
