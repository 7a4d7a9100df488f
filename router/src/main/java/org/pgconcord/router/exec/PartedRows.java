package org.pgconcord.router.exec;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.backend.BackendConnection;
import org.pgconcord.router.backend.BackendListener;
import org.pgconcord.router.backend.BackendRequest;
import org.pgconcord.router.backend.ShardErrorException;
import org.pgconcord.router.session.ResultSink;
import org.pgconcord.router.wire.DataRows;
import org.pgconcord.router.wire.ErrorFields;
import org.pgconcord.router.wire.Frame;
import org.pgconcord.router.wire.ParameterTypes;
import org.pgconcord.router.wire.Parameters;
import org.pgconcord.router.wire.RowDescription;
import org.pgconcord.router.wire.TransactionStatus;

/**
 * The answer of one shard to a text of the router's own, each row parted behind the columns that
 * are the client's.
 */
final class PartedRows implements BackendListener {
  private final ShardId shard;
  private final int columns;
  private final ResultSink notices;
  private final LongConsumer held;
  private final CompletableFuture<PartedRows> answered = new CompletableFuture<>();
  private final List<DataRows.Parted> rows = new ArrayList<>();
  private RowDescription description = new RowDescription(List.of());
  private @Nullable Throwable failure;

  private PartedRows(ShardId shard, int columns, ResultSink notices, LongConsumer held) {
    this.shard = shard;
    this.columns = columns;
    this.notices = notices;
    this.held = held;
  }

  /**
   * Asks for it.
   *
   * @param columns how many of them come first
   * @param held is told of the bytes of each frame; what it throws ends the statement
   */
  static CompletableFuture<PartedRows> ask(
      BackendConnection backend,
      String sql,
      ParameterTypes types,
      Parameters values,
      int columns,
      ResultSink notices,
      LongConsumer held) {
    PartedRows answer = new PartedRows(backend.shard(), columns, notices, held);
    backend.send(new BackendRequest.Extended(sql, false, types, values, "", true, 0), answer);
    return answer.answered;
  }

  ShardId shard() {
    return shard;
  }

  RowDescription description() {
    return description;
  }

  List<DataRows.Parted> rows() {
    return rows;
  }

  @Override
  public void rowDescription(Frame frame) {
    description = RowDescription.read(frame);
  }

  @Override
  public void rows(Frame frame) {
    if (failure == null) {
      try {
        held.accept(frame.length());
        rows.addAll(DataRows.parted(frame, columns));
      } catch (ConcordException e) {
        failure = e;
      }
    }
  }

  @Override
  public void notice(Frame frame) {
    notices.notice(frame);
  }

  @Override
  public void error(Frame frame) {
    failure = new ShardErrorException(shard, Gather.withoutPosition(ErrorFields.read(frame)));
  }

  @Override
  public void ready(TransactionStatus status) {
    end(null);
  }

  @Override
  public void lost(ConcordException cause) {
    end(cause);
  }

  private void end(@Nullable ConcordException cause) {
    if (failure != null) {
      answered.completeExceptionally(failure);
    } else if (cause != null) {
      answered.completeExceptionally(cause);
    } else {
      answered.complete(this);
    }
  }
}
