package org.pgconcord.router.exec;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.topology.Gsi;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.gsi.LookupIndex;
import org.pgconcord.router.backend.BackendConnection;
import org.pgconcord.router.backend.BackendListener;
import org.pgconcord.router.backend.BackendRequest;
import org.pgconcord.router.entries.EntryTransaction;
import org.pgconcord.router.entries.ReturnedRows;
import org.pgconcord.router.plan.ConflictRows;
import org.pgconcord.router.plan.CteWrite;
import org.pgconcord.router.plan.EntryWork;
import org.pgconcord.router.plan.Plan;
import org.pgconcord.router.plan.TransactionModes;
import org.pgconcord.router.sql.StatementText;
import org.pgconcord.router.tx.Failures;
import org.pgconcord.router.tx.Transaction;
import org.pgconcord.router.wire.CommandTag;
import org.pgconcord.router.wire.DataRows;
import org.pgconcord.router.wire.ErrorFields;
import org.pgconcord.router.wire.Frame;
import org.pgconcord.router.wire.ParameterTypes;
import org.pgconcord.router.wire.Parameters;
import org.pgconcord.router.wire.RowDescription;
import org.pgconcord.router.wire.TransactionStatus;

/**
 * A statement with WITH on one shard, parts of which change entries (decision 0019).
 *
 * <p>Which rows such a part has changed is said to nobody. So the rows are known before, by {@link
 * CteRows}: those of an UPDATE or DELETE are locked and then named by their places in the statement
 * itself, those of an INSERT have primary keys that stand in its text. Behind the statement, in the
 * same transaction, they are read again, and the entries follow from what was there before to what
 * is there now, whichever part has done it. The main statement's own rows are returned as ever
 * where it is an INSERT, or a DELETE from a table that no other part changes.
 */
final class WritesInWith {
  private final Execution execution;
  private final Plan.WritesInWith plan;
  private final ShardId shard;
  private final BackendConnection main;
  private final AddedColumns added;
  private final int addedColumns;
  private final boolean returns;
  private final List<CteRows> parts;
  private final String token = "pgconcord met " + UUID.randomUUID();
  private final ReturnedRows returned;
  private @Nullable ErrorFields failure;
  private boolean byFence;
  private int clientColumns;
  private String tag = "";

  private WritesInWith(
      Execution execution, Plan.WritesInWith plan, ShardId shard, BackendConnection main) {
    this.execution = execution;
    this.plan = plan;
    this.shard = shard;
    this.main = main;
    this.addedColumns = plan.entries().map(work -> work.columns().size()).orElse(0);
    this.returns = plan.entries().map(EntryWork::clientReturns).orElse(true);
    this.added = new AddedColumns(execution, unnamed(), returns, addedColumns);
    this.parts =
        plan.changes().stream()
            .map(change -> new CteRows(change, text(), main, indexes(change.work())))
            .toList();
    this.returned =
        new ReturnedRows(
            shard,
            plan.entries().map(this::indexes).orElse(List.of()),
            plan.entries().map(EntryWork::columns).orElse(List.of()));
  }

  static void run(Execution execution, Plan.WritesInWith plan, ShardId shard) {
    Transaction tx = execution.tx();
    if (tx.scope() == Transaction.Scope.NONE) {
      tx.begin(Transaction.Scope.SINGLE, TransactionModes.NONE);
    }
    tx.write(shard);
    execution.then(
        tx.backend(shard), main -> new WritesInWith(execution, plan, shard, main).start());
  }

  private StatementText text() {
    return execution.planned().text();
  }

  private List<LookupIndex> indexes(EntryWork work) {
    RouterServices services = execution.session().services();
    List<LookupIndex> indexes = new ArrayList<>();
    for (Gsi gsi : work.gsis()) {
      indexes.add(services.indexes().of(services.epochs().current(), gsi));
    }
    return indexes;
  }

  /** The statement as it would run without what names the rows. */
  private String unnamed() {
    return plan.entries().map(work -> work.sql(text())).orElseGet(execution::sql);
  }

  // --- what is sent ----------------------------------------------------------------------------

  private void start() {
    execution.then(
        types().thenCompose(types -> before(types).thenCompose(known -> formats(types))),
        this::send);
  }

  /** Result formats and parameter types for the statement and what is asked beside it. */
  private record Prepared(Parameters parameters, ParameterTypes types) {}

  private CompletableFuture<Prepared> formats(ParameterTypes types) {
    return added.formats(main).thenApply(parameters -> new Prepared(parameters, types));
  }

  /** Those of the whole statement: what is asked beside it does not use every parameter. */
  private CompletableFuture<ParameterTypes> types() {
    ParameterTypes declared = execution.declaredTypes();
    int count = execution.wireParameters().count();
    return count == 0 || declared.complete(count)
        ? CompletableFuture.completedFuture(declared)
        : DescribedStatement.ask(main, execution.sql(), declared)
            .thenApply(DescribedStatement::types);
  }

  private CompletableFuture<Void> before(ParameterTypes types) {
    CompletableFuture<Void> all = CompletableFuture.completedFuture(null);
    for (CteRows part : parts) {
      all = all.thenCompose(done -> part.before(sql -> asked(sql, types)));
    }
    return all.thenAccept(
        done -> EntryTransaction.requireBounded(parts.stream().mapToLong(CteRows::size).sum()));
  }

  /** A query of the router's own with the call's values. */
  private BackendRequest asked(String sql, ParameterTypes types) {
    return execution.simple()
        ? new BackendRequest.Query(sql)
        : new BackendRequest.Extended(
            sql, false, types, execution.wireParameters().withResultFormats(), "", false, 0);
  }

  private void send(Prepared prepared) {
    Map<CteWrite, String> rows = new HashMap<>();
    parts.forEach(part -> rows.put(part.plan(), part.condition()));
    String sql = plan.sql(text(), change -> rows.getOrDefault(change, "false"), token);
    main.send(
        execution.simple()
            ? new BackendRequest.Query(sql)
            : new BackendRequest.Extended(
                sql, false, prepared.types(), prepared.parameters(), "", true, 0),
        new Answer(prepared.types()));
  }

  // --- the answer ------------------------------------------------------------------------------

  private void answered(ParameterTypes types) {
    if (failure != null) {
      execution.failFirst(failure, byFence);
    } else {
      execution.then(
          after(types).thenCompose(this::maintain).thenCompose(done -> commitIfSingle()),
          done -> {
            execution.sink().complete(tag);
            execution.done();
          });
    }
  }

  /** The entries that the parts' rows have now. */
  private CompletableFuture<List<ReturnedRows.Found>> after(ParameterTypes types) {
    CteRows.Now now = new CteRows.Now(shard);
    CompletableFuture<Void> all = CompletableFuture.completedFuture(null);
    for (CteRows part : parts) {
      all = all.thenCompose(done -> part.after(sql -> asked(sql, types), now));
    }
    return all.thenApply(done -> now.found());
  }

  private CompletableFuture<Void> maintain(List<ReturnedRows.Found> now) {
    List<ReturnedRows.Found> before = new ArrayList<>();
    parts.forEach(part -> before.addAll(part.entriesBefore(shard)));
    List<ReturnedRows.Found> after = new ArrayList<>(now);
    boolean deleted = plan.kind().filter(Plan.WriteKind.DELETE::equals).isPresent();
    (deleted ? before : after).addAll(returned.found());
    return execution.tx().entries().change(Map.of(shard, main), before, after, Set.of());
  }

  private CompletableFuture<Void> commitIfSingle() {
    return execution.tx().scope() == Transaction.Scope.SINGLE
        ? execution.tx().commit()
        : CompletableFuture.completedFuture(null);
  }

  private final class Answer implements BackendListener {
    private final ParameterTypes types;

    Answer(ParameterTypes types) {
      this.types = types;
    }

    @Override
    public void rowDescription(Frame frame) {
      RowDescription all = RowDescription.read(frame);
      clientColumns = all.fields().size() - addedColumns;
      failure = execution.changed(all.keepFirst(clientColumns)).orElse(failure);
      if (failure == null) {
        added.describe(all, clientColumns);
      }
    }

    @Override
    public void noData() {
      if (execution.describes()) {
        execution.sink().noData();
      }
    }

    @Override
    public void rows(Frame frame) {
      if (failure != null) {
        return;
      }
      try {
        derive(frame);
        give(frame);
      } catch (ConcordException e) {
        failure = Failures.fields(e);
        main.cancel();
      }
    }

    private void derive(Frame frame) {
      if (plan.entries().isEmpty()) {
        return;
      }
      for (List<@Nullable String> row : AddedColumns.texts(frame, clientColumns)) {
        if (plan.entries().get().changesEntries(row)) {
          returned.add(row);
        }
      }
      EntryTransaction.requireBounded(returned.found().size());
    }

    private void give(Frame frame) {
      if (!returns) {
        return;
      }
      execution.sink().rows(addedColumns == 0 ? frame : DataRows.keepFirst(frame, clientColumns));
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
      ErrorFields fields = ErrorFields.read(frame);
      fail(ConflictRows.met(fields.message(), token).isPresent() ? Failures.fields(met()) : fields);
    }

    private ConcordException met() {
      return ErrorCode.WRITE_ROW_APPEARED.because(
          "ON CONFLICT DO UPDATE in a statement with WITH meets a row that it could not lock before");
    }

    private void fail(ErrorFields fields) {
      if (failure == null) {
        failure = fields;
        byFence = execution.tx().stoppedByFence();
      }
    }

    @Override
    public void ready(TransactionStatus status) {
      answered(types);
    }

    @Override
    public void lost(ConcordException cause) {
      fail(Failures.fields(cause));
      answered(types);
    }
  }
}
