package org.pgconcord.router.exec;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.backend.BackendConnection;
import org.pgconcord.router.backend.BackendListener;
import org.pgconcord.router.session.FanOut;
import org.pgconcord.router.tx.Failures;
import org.pgconcord.router.wire.CommandTag;
import org.pgconcord.router.wire.ErrorFields;
import org.pgconcord.router.wire.Frame;
import org.pgconcord.router.wire.RowDescription;
import org.pgconcord.router.wire.TransactionStatus;

/**
 * One SELECT on several shards at once, their rows concatenated as they come.
 *
 * <p>The first description is the client's; each other one must be alike. The command tag is sent
 * when every shard has answered, with the sum of their counts: rows without it are no result. When
 * one shard fails the others are cancelled, and the client gets the error after all of them have
 * said that they are ready (or were closed), so that nothing of this statement runs on behind the
 * next.
 */
final class OverShards {
  private final Execution execution;
  private final List<BackendConnection> running = new ArrayList<>();
  private @Nullable RowDescription description;
  private @Nullable ShardId describedBy;
  private @Nullable ErrorFields failure;
  private final List<ShardId> asked;
  private final long expected;
  private List<ShardId> others;
  private long rows;
  private int open;

  private OverShards(
      Execution execution, List<ShardId> asked, long expected, List<ShardId> others) {
    this.execution = execution;
    this.asked = asked;
    this.expected = expected;
    this.others = others;
  }

  static void run(Execution execution, List<ShardId> shards) {
    run(execution, shards, 0, List.of());
  }

  /**
   * The same, asking others as well when fewer rows were found.
   *
   * @param expected rows that are somewhere if they meet the whole condition
   */
  static void run(Execution execution, List<ShardId> shards, long expected, List<ShardId> others) {
    if (execution.maxRows() > 0) {
      inPortions(execution, shards, expected > 0 ? others : List.of());
      return;
    }
    new OverShards(execution, shards, expected, others).ask(shards);
  }

  /** Rows in portions cannot be counted before they are given, so all shards are asked at once. */
  private static void inPortions(Execution execution, List<ShardId> shards, List<ShardId> others) {
    List<ShardId> all = Stream.concat(shards.stream(), others.stream()).toList();
    execution.requireFanOut(others.isEmpty() ? FanOut.MULTI : FanOut.SCATTER, () -> all);
    StreamedRows.run(execution, all, Optional.empty());
  }

  private void ask(List<ShardId> shards) {
    CompletableFuture<Void> all = CompletableFuture.completedFuture(null);
    for (ShardId shard : shards) {
      all = all.thenCompose(before -> execution.reader(shard)).thenAccept(running::add);
    }
    execution.then(all, acquired -> send());
  }

  private void askOthers() {
    List<ShardId> rest = others;
    others = List.of();
    try {
      execution.requireFanOut(
          FanOut.SCATTER, () -> Stream.concat(asked.stream(), rest.stream()).toList());
    } catch (ConcordException e) {
      execution.fail(e);
      return;
    }
    ask(rest);
  }

  private void send() {
    open = running.size();
    for (BackendConnection backend : List.copyOf(running)) {
      backend.send(
          execution.described(execution.sql(), execution.wireParameters()), new Answer(backend));
    }
  }

  private void fail(BackendConnection by, ErrorFields fields) {
    if (failure == null) {
      failure = fields;
      running.stream().filter(b -> b != by).forEach(BackendConnection::cancel);
    }
  }

  private void answered(BackendConnection backend) {
    running.remove(backend);
    open--;
    if (open > 0) {
      return;
    }
    if (failure == null && rows < expected && !others.isEmpty()) {
      askOthers();
    } else if (failure == null) {
      execution.sink().complete("SELECT " + rows);
      execution.done();
    } else {
      execution.sink().error(failure);
      execution.failedByShard();
    }
  }

  static ConcordException differ(
      @Nullable ShardId describedBy, RowDescription first, ShardId shard, RowDescription other) {
    String column = "the number of columns";
    for (int i = 0; i < Math.min(first.fields().size(), other.fields().size()); i++) {
      if (!first.fields().get(i).alike(other.fields().get(i))) {
        column = "column \"" + other.fields().get(i).name() + "\"";
        break;
      }
    }
    return ErrorCode.SCATTER_SHARDS_DIFFER.because(
        "shards %s and %s differ in %s".formatted(describedBy, shard, column));
  }

  static boolean alike(RowDescription first, RowDescription other) {
    if (first.fields().size() != other.fields().size()) {
      return false;
    }
    for (int i = 0; i < first.fields().size(); i++) {
      if (!first.fields().get(i).alike(other.fields().get(i))) {
        return false;
      }
    }
    return true;
  }

  /** One shard's part of the answer. */
  private final class Answer implements BackendListener {
    private final BackendConnection backend;

    Answer(BackendConnection backend) {
      this.backend = backend;
    }

    @Override
    public void rowDescription(Frame frame) {
      if (failure != null) {
        return;
      }
      RowDescription mine = RowDescription.read(frame);
      if (description == null) {
        description = mine;
        describedBy = backend.shard();
        Optional<ErrorFields> changed = execution.changed(mine);
        if (changed.isPresent()) {
          fail(backend, changed.get());
          backend.cancel();
          return;
        }
        if (execution.describes()) {
          execution.sink().rowDescription(frame);
        }
      } else if (!alike(description, mine)) {
        fail(backend, ErrorFields.of(differ(describedBy, description, backend.shard(), mine)));
        backend.cancel();
      }
    }

    @Override
    public void rows(Frame more) {
      if (failure == null) {
        execution.sink().rows(more);
      }
    }

    @Override
    public void complete(Frame frame) {
      rows += CommandTag.rows(CommandTag.read(frame));
    }

    @Override
    public void notice(Frame frame) {
      execution.sink().notice(frame);
    }

    @Override
    public void error(Frame frame) {
      fail(backend, execution.placed(ErrorFields.read(frame), execution.sql()));
    }

    @Override
    public void ready(TransactionStatus status) {
      answered(backend);
    }

    @Override
    public void lost(ConcordException cause) {
      fail(backend, Failures.fields(cause));
      answered(backend);
    }
  }
}
