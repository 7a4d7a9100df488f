package org.pgconcord.router.exec;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.router.backend.BackendConnection;
import org.pgconcord.router.backend.BackendListener;
import org.pgconcord.router.backend.BackendRequest;
import org.pgconcord.router.backend.ShardErrorException;
import org.pgconcord.router.wire.CommandTag;
import org.pgconcord.router.wire.DataRows;
import org.pgconcord.router.wire.ErrorFields;
import org.pgconcord.router.wire.Frame;
import org.pgconcord.router.wire.RowDescription;
import org.pgconcord.router.wire.TransactionStatus;

/**
 * One shard's answer to its part of a write, kept until it is certain that the client gets it: the
 * client's own columns of each row, and the texts of those that were added.
 */
final class PartAnswer implements BackendListener {
  private final int addedColumns;
  private final Deque<Frame> rows = new ArrayDeque<>();
  private final List<List<@Nullable String>> added = new ArrayList<>();
  private final List<Frame> notices = new ArrayList<>();
  private final BackendConnection backend;
  private UnaryOperator<ErrorFields> placed = UnaryOperator.identity();
  private Function<RowDescription, Optional<ErrorFields>> changed = columns -> Optional.empty();
  private final CompletableFuture<PartAnswer> whole = new CompletableFuture<>();
  private @Nullable RowDescription description;
  private @Nullable ErrorFields failure;
  private long count;

  private PartAnswer(BackendConnection backend, int addedColumns) {
    this.backend = backend;
    this.addedColumns = addedColumns;
  }

  /** Sends the request; fails with the shard's error once the shard is ready again. */
  static CompletableFuture<PartAnswer> of(
      BackendConnection backend, BackendRequest request, int addedColumns) {
    return send(new PartAnswer(backend, addedColumns), request);
  }

  /**
   * The same for a part of what {@code execution} answers.
   *
   * @param sent the part's text, for the places of errors
   */
  static CompletableFuture<PartAnswer> of(
      BackendConnection backend,
      BackendRequest request,
      int addedColumns,
      Execution execution,
      String sent) {
    PartAnswer answer = new PartAnswer(backend, addedColumns);
    answer.placed = error -> execution.placed(error, sent);
    answer.changed = execution::changed;
    return send(answer, request);
  }

  private static CompletableFuture<PartAnswer> send(PartAnswer answer, BackendRequest request) {
    answer.backend.send(request, answer);
    return answer.whole;
  }

  /** Of the client's columns and the added ones; none before the shard has said it. */
  @Nullable RowDescription description() {
    return description;
  }

  int clientColumns() {
    return description == null ? 0 : description.fields().size() - addedColumns;
  }

  /** The client's columns, row by row; empty where the client asked for none. */
  Deque<Frame> rows() {
    return rows;
  }

  List<List<@Nullable String>> added() {
    return added;
  }

  List<Frame> notices() {
    return notices;
  }

  /** The rows of the command tag. */
  long count() {
    return count;
  }

  @Override
  public void rowDescription(Frame frame) {
    description = RowDescription.read(frame);
    failure = changed.apply(description.keepFirst(clientColumns())).orElse(failure);
  }

  @Override
  public void rows(Frame frame) {
    added.addAll(AddedColumns.texts(frame, clientColumns()));
    if (clientColumns() > 0) {
      rows.addAll(DataRows.split(frame, clientColumns()));
    }
  }

  @Override
  public void complete(Frame frame) {
    count = CommandTag.rows(CommandTag.read(frame));
  }

  @Override
  public void notice(Frame frame) {
    notices.add(frame.copy());
  }

  @Override
  public void error(Frame frame) {
    failure = placed.apply(ErrorFields.read(frame));
  }

  @Override
  public void ready(TransactionStatus status) {
    if (failure == null) {
      whole.complete(this);
    } else {
      whole.completeExceptionally(new ShardErrorException(backend.shard(), failure));
    }
  }

  @Override
  public void lost(ConcordException cause) {
    whole.completeExceptionally(cause);
  }
}
