package org.pgconcord.router.exec;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.sharding.LeaderLock;
import org.pgconcord.config.value.ArrayText;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.backend.BackendConnection;
import org.pgconcord.router.backend.BackendListener;
import org.pgconcord.router.backend.QueryResult;
import org.pgconcord.router.backend.ShardErrorException;
import org.pgconcord.router.plan.CopyWork;
import org.pgconcord.router.plan.Plan;
import org.pgconcord.router.plan.TransactionModes;
import org.pgconcord.router.tx.Failures;
import org.pgconcord.router.tx.Transaction;
import org.pgconcord.router.wire.CommandTag;
import org.pgconcord.router.wire.DataRows;
import org.pgconcord.router.wire.Frame;
import org.pgconcord.router.wire.RowDescription;
import org.pgconcord.router.wire.TransactionStatus;

/**
 * A write of a reference table (docs/decisions/0008): the leader's lock, the statement on the
 * leader, the rows that it changed on the other copies, and what they say they changed compared
 * with it.
 *
 * <p>Nothing commits before every copy has shown the same images, so a difference that is met here
 * changes nothing. The client's own rows are passed on as the leader returns them; their completion
 * waits for the other copies, and outside a transaction for the commits.
 */
final class ReferenceWrite {
  /** Values and images of one statement's rows held here. */
  private static final long HELD_MOST = 64 << 20;

  private static final String UNIQUE_VIOLATION = "23505";

  private final Execution execution;
  private final Plan.CopyWrite plan;
  private final CopyWork work;
  private final AddedColumns added;
  private final List<StringBuilder> arrays = new ArrayList<>();
  private final List<String> images = new ArrayList<>();

  private ReferenceWrite(Execution execution, Plan.CopyWrite plan) {
    this.execution = execution;
    this.plan = plan;
    this.work = plan.work();
    this.added =
        new AddedColumns(
            execution, work.sql(execution.planned().text()), work.clientReturns(), work.added());
    for (int i = 0; i < work.values(); i++) {
      arrays.add(new StringBuilder("{"));
    }
  }

  static void run(Execution execution, Plan.CopyWrite plan) {
    execution.requireEqualCopies(plan.facts(), List.of(plan.leader()));
    Transaction tx = execution.tx();
    if (tx.scope() == Transaction.Scope.NONE) {
      if (execution.session().settings().fixedSnapshot()) {
        throw Plan.CopyWrite.needsReadCommitted();
      }
      tx.begin(Transaction.Scope.SINGLE, TransactionModes.NONE);
    }
    tx.writeCopies(plan.table(), plan.leader(), plan.others());
    ReferenceWrite write = new ReferenceWrite(execution, plan);
    execution.then(
        tx.backend(plan.leader())
            .thenCompose(leader -> write.lock(leader).thenApply(locked -> leader))
            .thenCompose(
                leader -> write.added.formats(leader).thenAccept(p -> write.send(leader, p))),
        sent -> {});
  }

  /** The lock waits no longer than the router's limit; the session's own is put back. */
  private CompletableFuture<QueryResult> lock(BackendConnection leader) {
    return leader.query(
        "SELECT pg_catalog.set_config('lock_timeout', '%d', true),"
                .formatted(execution.session().serviceSessions().lockTimeout().toMillis())
            + " pg_catalog.pg_advisory_xact_lock(%d),"
                .formatted(LeaderLock.of(plan.table().database(), plan.table().table()))
            + " pg_catalog.set_config('lock_timeout', s.old, true) FROM (SELECT"
            + " pg_catalog.current_setting('lock_timeout') AS old OFFSET 0) s",
        List.of());
  }

  private void send(BackendConnection leader, org.pgconcord.router.wire.Parameters parameters) {
    leader.send(
        execution.described(work.sql(execution.planned().text()), parameters), new Answer());
  }

  // --- the other copies ------------------------------------------------------------------------

  private void carryOn(String tag) {
    CompletableFuture<Void> carried =
        images.isEmpty() ? CompletableFuture.completedFuture(null) : change();
    execution.then(
        carried.thenCompose(done -> commitIfSingle()),
        done -> {
          execution.sink().complete(tag);
          execution.done();
        });
  }

  private CompletableFuture<Void> change() {
    List<@Nullable String> parameters =
        new ArrayList<>(arrays.stream().map(a -> a.append('}').toString()).toList());
    Collections.sort(images);
    List<BackendConnection> copies = new ArrayList<>();
    CompletableFuture<Void> enlisted = CompletableFuture.completedFuture(null);
    for (ShardId shard : plan.others()) {
      enlisted =
          enlisted.thenCompose(before -> execution.tx().backend(shard)).thenAccept(copies::add);
    }
    return enlisted.thenCompose(
        all ->
            CompletableFuture.allOf(
                copies.stream()
                    .map(copy -> change(copy, parameters))
                    .toArray(CompletableFuture<?>[]::new)));
  }

  private CompletableFuture<Void> change(
      BackendConnection copy, List<@Nullable String> parameters) {
    return copy.query(work.change(), parameters)
        .thenCompose(answer -> compare(copy, answer))
        .handle((done, failure) -> failure)
        .thenCompose(failure -> failure == null ? done() : refused(copy, failure));
  }

  private CompletableFuture<Void> compare(BackendConnection copy, QueryResult answer) {
    List<String> theirs =
        answer.rows().stream().map(row -> String.valueOf(row.get(0))).sorted().toList();
    return theirs.equals(images)
        ? done()
        : differs(
            copy,
            "%d rows on the leader %s, %d on this copy, and not all of them alike"
                .formatted(images.size(), plan.leader(), theirs.size()),
            null);
  }

  /** A row that the leader does not have stands in the way: the copies differ as well. */
  private CompletableFuture<Void> refused(BackendConnection copy, Throwable failure) {
    Throwable cause = Failures.cause(failure);
    boolean inTheWay =
        cause instanceof ShardErrorException error
            && error.fields().sqlState().equals(UNIQUE_VIOLATION);
    return inTheWay
        ? differs(copy, "the leader took the rows, this copy did not", cause)
        : CompletableFuture.failedFuture(cause);
  }

  private CompletableFuture<Void> differs(
      BackendConnection copy, String how, @Nullable Throwable cause) {
    ConcordException error =
        ErrorCode.COPIES_DIFFER
            .because(
                "the copy of %s on shard %s has other rows than the leader"
                    .formatted(plan.table().table(), copy.shard()))
            .withDetail(how);
    ConcordException told = cause == null ? error : error.withCause(cause);
    return execution
        .tx()
        .markCopies(plan.table(), Set.of(copy.shard()), "a write met other rows than on the leader")
        .thenCompose(marked -> CompletableFuture.failedFuture(told));
  }

  private CompletableFuture<Void> commitIfSingle() {
    return execution.tx().scope() == Transaction.Scope.SINGLE ? execution.tx().commit() : done();
  }

  private static CompletableFuture<Void> done() {
    return CompletableFuture.completedFuture(null);
  }

  // --- the leader's answer ---------------------------------------------------------------------

  private void collect(List<@Nullable String> row) {
    for (int i = 0; i < work.values(); i++) {
      StringBuilder array = arrays.get(i);
      if (array.length() > 1) {
        array.append(',');
      }
      ArrayText.append(array, row.get(i));
    }
    images.add(String.valueOf(row.get(work.values())));
  }

  /** What the leader returns. */
  private final class Answer implements BackendListener {
    private int clientColumns;
    private long held;
    private String tag = "";
    private boolean failed;
    private @Nullable ConcordException failure;

    @Override
    public void rowDescription(Frame frame) {
      RowDescription all = RowDescription.read(frame);
      clientColumns = all.fields().size() - work.added();
      added.describe(all, clientColumns);
    }

    @Override
    public void rows(Frame frame) {
      held += frame.length();
      if (failure == null && held > HELD_MOST) {
        failure =
            ErrorCode.WRITE_REFERENCE_SIZE.because(
                "the changed rows have more than %d MiB".formatted(HELD_MOST >> 20));
      }
      if (failure != null) {
        return;
      }
      for (List<@Nullable String> row : AddedColumns.texts(frame, clientColumns)) {
        collect(row);
      }
      if (work.clientReturns()) {
        if (execution.maxRows() > 0 && images.size() > execution.maxRows()) {
          failure =
              ErrorCode.ROW_LIMIT_OVER_SHARDS.because(
                  "a write of a reference table returns more rows than the row limit allows");
          return;
        }
        execution.sink().rows(DataRows.keepFirst(frame, clientColumns));
      }
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
        carryOn(tag);
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
