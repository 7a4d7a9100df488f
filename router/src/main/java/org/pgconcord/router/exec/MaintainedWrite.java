package org.pgconcord.router.exec;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.gsi.LookupIndex;
import org.pgconcord.router.backend.BackendConnection;
import org.pgconcord.router.backend.BackendListener;
import org.pgconcord.router.backend.BackendRequest;
import org.pgconcord.router.entries.EntryTransaction;
import org.pgconcord.router.entries.ReturnedRows;
import org.pgconcord.router.plan.EntryWork;
import org.pgconcord.router.plan.Plan;
import org.pgconcord.router.plan.TransactionModes;
import org.pgconcord.router.tx.Transaction;
import org.pgconcord.router.wire.CommandTag;
import org.pgconcord.router.wire.DataRows;
import org.pgconcord.router.wire.Frame;
import org.pgconcord.router.wire.Parameters;
import org.pgconcord.router.wire.RowDescription;
import org.pgconcord.router.wire.TransactionStatus;

/**
 * An INSERT or DELETE on the owner of maintained indexes. The statement runs with key and shard key
 * added to what it returns; they are taken off again before the client sees the rows, and the
 * entries derived from them are secured before the client sees the completion. Outside a
 * transaction the statement gets one of its own and the completion comes after its commit.
 */
final class MaintainedWrite {
  private final Execution execution;
  private final Plan.Write plan;
  private final EntryWork work;
  private final ReturnedRows returned;

  private MaintainedWrite(Execution execution, Plan.Write plan, EntryWork work, ShardId shard) {
    this.execution = execution;
    this.plan = plan;
    this.work = work;
    RouterServices services = execution.session().services();
    List<LookupIndex> indexes =
        work.gsis().stream()
            .map(gsi -> services.indexes().of(services.epochs().current(), gsi))
            .toList();
    this.returned = new ReturnedRows(shard, indexes, work.columns());
  }

  static void run(Execution execution, Plan.Write plan, EntryWork work, ShardId shard) {
    MaintainedWrite write = new MaintainedWrite(execution, plan, work, shard);
    Transaction tx = execution.tx();
    if (tx.scope() == Transaction.Scope.NONE) {
      tx.begin(Transaction.Scope.SINGLE, TransactionModes.NONE);
    }
    tx.write(shard);
    execution.then(
        tx.backend(shard)
            .thenCompose(backend -> write.formats(backend).thenAccept(p -> write.send(backend, p))),
        sent -> {});
  }

  /** The call's parameters, with the added columns in text format. */
  private CompletableFuture<Parameters> formats(BackendConnection backend) {
    Parameters parameters = execution.wireParameters();
    if (!work.clientReturns() || parameters.resultFormats() == 0) {
      return CompletableFuture.completedFuture(
          execution.simple() ? parameters : parameters.withResultFormats());
    }
    if (parameters.resultFormats() > 1) {
      return CompletableFuture.completedFuture(
          withTextBehind(parameters, parameters.resultFormats()));
    }
    return clientColumns(backend).thenApply(columns -> withTextBehind(parameters, columns));
  }

  private Parameters withTextBehind(Parameters parameters, int clientColumns) {
    short[] formats = new short[clientColumns + work.columns().size()];
    for (int column = 0; column < clientColumns; column++) {
      formats[column] = parameters.resultFormat(column);
    }
    return parameters.withResultFormats(formats);
  }

  /** One format for all columns was asked for: how many are there? */
  private CompletableFuture<Integer> clientColumns(BackendConnection backend) {
    return DescribedColumns.count(
            backend, new BackendRequest.DescribeStatement(sql(), false, execution.declaredTypes()))
        .thenApply(all -> all - work.columns().size());
  }

  private String sql() {
    return work.sql(execution.planned().text());
  }

  private void send(BackendConnection main, Parameters parameters) {
    main.send(execution.described(sql(), parameters), new Answer(main));
  }

  /** The rows are written in MAIN: now their entries. */
  private void maintain(BackendConnection main, String tag) {
    EntryTransaction entries = execution.tx().entries();
    CompletableFuture<Void> secured =
        switch (plan.kind()) {
          case INSERT -> entries.add(main, returned.found());
          case DELETE -> entries.remove(main, returned.found());
          case UPDATE ->
              CompletableFuture.failedFuture(
                  ErrorCode.INTERNAL.because("an UPDATE was planned with entries to maintain"));
        };
    execution.then(
        secured.thenCompose(done -> commitIfSingle()),
        done -> {
          execution.sink().complete(tag);
          execution.done();
        });
  }

  private CompletableFuture<Void> commitIfSingle() {
    return execution.tx().scope() == Transaction.Scope.SINGLE
        ? execution.tx().commit()
        : CompletableFuture.completedFuture(null);
  }

  /** What MAIN returns. */
  private final class Answer implements BackendListener {
    private final BackendConnection main;
    private int clientColumns;
    private long rows;
    private String tag = "";
    private boolean failed;
    private @Nullable ConcordException failure;

    Answer(BackendConnection main) {
      this.main = main;
    }

    @Override
    public void rowDescription(Frame frame) {
      RowDescription all = RowDescription.read(frame);
      clientColumns = all.fields().size() - work.columns().size();
      if (!execution.describes()) {
        return;
      }
      if (work.clientReturns()) {
        execution.sink().rowDescription(all.keepFirst(clientColumns));
      } else if (!execution.simple()) {
        execution.sink().noData();
      }
    }

    @Override
    public void rows(Frame frame) {
      try {
        for (List<byte @Nullable []> row : DataRows.values(frame)) {
          returned.add(texts(row.subList(clientColumns, row.size())));
        }
        rows += frame.count();
        if (work.clientReturns()) {
          requireWithin(execution.maxRows());
          execution.sink().rows(DataRows.keepFirst(frame, clientColumns));
        }
      } catch (ConcordException e) {
        failure = failure == null ? e : failure;
      }
    }

    private void requireWithin(int limit) {
      if (limit > 0 && rows > limit) {
        throw ErrorCode.ROW_LIMIT_OVER_SHARDS.because(
            "a maintained write returns more rows than the row limit allows");
      }
    }

    private static List<@Nullable String> texts(List<byte @Nullable []> values) {
      List<@Nullable String> texts = new ArrayList<>(values.size());
      for (byte[] value : values) {
        texts.add(value == null ? null : new String(value, StandardCharsets.UTF_8));
      }
      return texts;
    }

    @Override
    public void complete(Frame frame) {
      tag = CommandTag.read(frame);
    }

    @Override
    public void notice(Frame frame) {
      execution.sink().notice(frame);
    }

    @Override
    public void error(Frame frame) {
      failed = true;
      execution.sink().error(frame);
    }

    @Override
    public void ready(TransactionStatus status) {
      if (failed) {
        execution.failedByShard();
      } else if (failure != null) {
        execution.fail(failure);
      } else {
        maintain(main, tag);
      }
    }

    @Override
    public void lost(ConcordException cause) {
      if (failed) {
        execution.failedByShard();
      } else {
        execution.fail(cause);
      }
    }
  }
}
