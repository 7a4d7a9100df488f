package org.pgconcord.router.exec;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.router.backend.BackendConnection;
import org.pgconcord.router.backend.BackendListener;
import org.pgconcord.router.backend.BackendRequest;
import org.pgconcord.router.plan.Plan;
import org.pgconcord.router.tx.Failures;
import org.pgconcord.router.wire.CommandTag;
import org.pgconcord.router.wire.CopyBytes;
import org.pgconcord.router.wire.ErrorFields;
import org.pgconcord.router.wire.Frame;
import org.pgconcord.router.wire.ParameterTypes;
import org.pgconcord.router.wire.TransactionStatus;

/**
 * COPY TO STDOUT on several shards at once, their rows concatenated as they come: PostgreSQL sends
 * each row in a message of its own. One header goes out, and in binary format one trailer. When one
 * shard fails the others are cancelled, and the client gets the error after all of them have said
 * that they are ready, instead of a completion.
 */
final class CopyTo {
  private static final byte[] TRAILER = {-1, -1};

  private final Execution execution;
  private final Plan.CopyTo plan;
  private final List<BackendConnection> running = new ArrayList<>();
  private @Nullable ErrorFields failure;
  private boolean begun;
  private boolean headerSent;
  private byte[] header = {};
  private long rows;
  private int open;

  private CopyTo(Execution execution, Plan.CopyTo plan) {
    this.execution = execution;
    this.plan = plan;
  }

  static void run(Execution execution, Plan.CopyTo plan) {
    CopyTo copy = new CopyTo(execution, plan);
    CompletableFuture<Void> all = CompletableFuture.completedFuture(null);
    for (var shard : plan.shards()) {
      all = all.thenCompose(before -> execution.tx().backend(shard)).thenAccept(copy.running::add);
    }
    execution.then(all.thenCompose(acquired -> copy.requireAlike()), alike -> copy.send());
  }

  /** Data has no names: a query's columns are compared before. */
  private CompletableFuture<Void> requireAlike() {
    if (plan.query().isEmpty()) {
      return CompletableFuture.completedFuture(null);
    }
    List<CompletableFuture<DescribedStatement>> asked =
        running.stream()
            .map(
                backend -> DescribedStatement.ask(backend, plan.query().get(), ParameterTypes.NONE))
            .toList();
    return CompletableFuture.allOf(asked.toArray(CompletableFuture<?>[]::new))
        .thenRun(
            () -> {
              for (int i = 1; i < asked.size(); i++) {
                if (!alike(asked.get(0).join(), asked.get(i).join())) {
                  throw ErrorCode.SCATTER_SHARDS_DIFFER.because(
                      "shards %s and %s differ in the columns of the query"
                          .formatted(running.get(0).shard(), running.get(i).shard()));
                }
              }
            });
  }

  private static boolean alike(DescribedStatement first, DescribedStatement other) {
    return OverShards.alike(first.rows(), other.rows());
  }

  private void send() {
    open = running.size();
    for (BackendConnection backend : List.copyOf(running)) {
      backend.send(new BackendRequest.Query(plan.sql()), new Answer(backend));
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
    if (failure != null) {
      execution.sink().error(failure);
      execution.failedByShard();
      return;
    }
    if (plan.format().binary()) {
      execution.sink().copyData(withHeader(TRAILER, 0));
    }
    execution.sink().copyDone();
    execution.sink().complete("COPY " + rows);
    execution.done();
  }

  /** In binary format the header goes out in one message with what comes first behind it. */
  private byte[] withHeader(byte[] bytes, int from) {
    byte[] message = CopyBytes.joined(header, Arrays.copyOfRange(bytes, from, bytes.length));
    header = new byte[0];
    return message;
  }

  /** One shard's part of the data. */
  private final class Answer implements BackendListener {
    private final BackendConnection backend;
    private boolean first = true;

    Answer(BackendConnection backend) {
      this.backend = backend;
    }

    @Override
    public boolean copyOut(Frame response) {
      if (!begun && failure == null) {
        begun = true;
        execution.sink().copyOut(response);
      }
      return true;
    }

    @Override
    public void copyData(Frame frame) {
      boolean leads = first;
      first = false;
      if (failure != null) {
        return;
      }
      if (plan.format().binary()) {
        binary(frame, leads);
      } else if (!leads || !plan.format().header() || !headerSent) {
        headerSent |= leads;
        execution.sink().copyData(frame);
      }
    }

    /** The header comes in one message with the first row or with the trailer. */
    private void binary(Frame frame, boolean leads) {
      byte[] bytes = CopyBytes.of(frame);
      int from = leads ? CopyBytes.headerLength(bytes) : 0;
      if (leads && !headerSent) {
        headerSent = true;
        header = Arrays.copyOf(bytes, from);
      }
      if (from < bytes.length && !CopyBytes.isTrailer(bytes, from)) {
        if (from == 0 && header.length == 0) {
          execution.sink().copyData(frame);
        } else {
          execution.sink().copyData(withHeader(bytes, from));
        }
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
      fail(backend, ErrorFields.read(frame));
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
