package org.pgconcord.router.exec;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.topology.Referrer;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.gsi.LookupIndex;
import org.pgconcord.router.backend.BackendConnection;
import org.pgconcord.router.backend.BackendListener;
import org.pgconcord.router.backend.BackendRequest;
import org.pgconcord.router.entries.EntryTransaction;
import org.pgconcord.router.entries.MappingRows;
import org.pgconcord.router.entries.ReturnedRows;
import org.pgconcord.router.plan.EntryWork;
import org.pgconcord.router.plan.OldRows;
import org.pgconcord.router.plan.Plan;
import org.pgconcord.router.plan.RowSplit;
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
 * A write that runs on one or more shards at once, each doing its part, and keeps the entries of
 * the rows that it inserts, changes or deletes. On the owner of maintained indexes the statement
 * runs with their columns added to what it returns; they are taken off again before the client sees
 * the rows, and the entries are secured before it sees the completion.
 *
 * <p>Outside a transaction the statement gets one of its own, and the completion comes after its
 * commit. When one part fails the others are cancelled, and the client gets the error after all
 * have said that they are ready; the transaction has failed then, so that no part of the statement
 * can be committed. The command tag is the sum of the parts' counts.
 */
final class WriteInParts {
  private final Execution execution;
  private final Plan.WriteKind kind;
  private final Optional<EntryWork> work;
  private final boolean returns;
  private final List<LookupIndex> indexes;
  private final AddedColumns added;
  private final Map<Referrer, LookupIndex> references = new LinkedHashMap<>();
  private final Map<ShardId, BackendConnection> mains = new LinkedHashMap<>();
  private final Map<ShardId, LockedRows> locked = new LinkedHashMap<>();
  private final List<Answer> answers = new ArrayList<>();
  private @Nullable RowDescription description;
  private @Nullable ErrorFields failure;
  private boolean byFence;
  private List<RowSplit.Part> parts;
  private String narrowing = "";
  private Elsewhere elsewhere = Elsewhere.NOWHERE;
  private boolean nothingDescribed;
  private long rows;
  private int open;

  private WriteInParts(
      Execution execution,
      Plan.WriteKind kind,
      Optional<EntryWork> work,
      boolean returns,
      List<RowSplit.Part> parts) {
    this.execution = execution;
    this.kind = kind;
    this.work = work;
    this.returns = returns;
    this.parts = parts;
    RouterServices services = execution.session().services();
    this.indexes =
        work.map(EntryWork::gsis).orElse(List.of()).stream()
            .map(gsi -> services.indexes().of(services.epochs().current(), gsi))
            .toList();
    this.added =
        new AddedColumns(
            execution,
            work.map(w -> w.sql(execution.planned().text())).orElseGet(execution::sql),
            returns,
            addedColumns());
    work.map(EntryWork::references)
        .orElse(List.of())
        .forEach(r -> references.put(r, services.indexes().of(services.epochs().current(), r)));
  }

  /** The whole statement on one shard, whose entries are maintained. */
  static void onOne(Execution execution, Plan.Write plan, EntryWork work, ShardId shard) {
    RowSplit.Part all = new RowSplit.Part(shard, work.sql(execution.planned().text()), List.of());
    run(execution, plan.kind(), Optional.of(work), work.clientReturns(), List.of(all));
  }

  /** The whole statement on several shards of a group. */
  static void onAll(Execution execution, Plan.WriteOnAll plan, List<ShardId> shards) {
    String sql =
        plan.entries().map(work -> work.sql(execution.planned().text())).orElseGet(execution::sql);
    run(
        execution,
        plan.kind(),
        plan.entries(),
        plan.returns(),
        shards.stream().map(shard -> new RowSplit.Part(shard, sql, List.of())).toList());
  }

  /** The rows of an INSERT, each on its shard. */
  static void rows(Execution execution, Plan.InsertInParts plan) {
    run(
        execution,
        Plan.WriteKind.INSERT,
        plan.entries(),
        plan.returns(),
        plan.rows()
            .parts(
                execution.planned().text(),
                execution.parameters(),
                plan.entries().map(work -> work.edit().text()).orElse("")));
  }

  /** The whole statement on the shards that an index has named, then where it names others. */
  static void named(
      Execution execution, Plan.GsiWrite plan, Elsewhere.Where where, Elsewhere elsewhere) {
    WriteInParts write =
        new WriteInParts(execution, plan.kind(), plan.entries(), plan.returns(), where.parts());
    write.narrowing = where.narrowing();
    write.elsewhere = elsewhere;
    write.start();
  }

  private static void run(
      Execution execution,
      Plan.WriteKind kind,
      Optional<EntryWork> work,
      boolean returns,
      List<RowSplit.Part> parts) {
    new WriteInParts(execution, kind, work, returns, parts).start();
  }

  private void start() {
    Transaction tx = execution.tx();
    if (tx.scope() == Transaction.Scope.NONE) {
      tx.begin(Transaction.Scope.SINGLE, TransactionModes.NONE);
    }
    execution.then(
        enlist(parts).thenCompose(enlisted -> prepare()).thenCompose(this::lock), this::send);
  }

  private CompletableFuture<Void> enlist(List<RowSplit.Part> some) {
    Transaction tx = execution.tx();
    some.forEach(part -> tx.write(part.shard()));
    CompletableFuture<Void> all = CompletableFuture.completedFuture(null);
    for (RowSplit.Part part : some) {
      all =
          all.thenCompose(before -> tx.backend(part.shard()))
              .thenAccept(backend -> mains.put(part.shard(), backend));
    }
    return all;
  }

  // --- what is sent ----------------------------------------------------------------------------

  /** Result formats and parameter types for the parts. */
  private record Prepared(Parameters parameters, ParameterTypes types) {}

  private CompletableFuture<Prepared> prepare() {
    BackendConnection any = mains.values().iterator().next();
    return added.formats(any).thenCombine(types(any), Prepared::new);
  }

  /** A statement that does not use every parameter needs their types from the one that does. */
  private CompletableFuture<ParameterTypes> types(BackendConnection any) {
    ParameterTypes declared = execution.declaredTypes();
    int count = execution.wireParameters().count();
    boolean partial = old().isPresent() || (kind == Plan.WriteKind.INSERT && parts.size() > 1);
    return !partial || count == 0 || declared.complete(count)
        ? CompletableFuture.completedFuture(declared)
        : DescribedStatement.ask(any, added.sql(), declared).thenApply(DescribedStatement::types);
  }

  private Optional<OldRows> old() {
    return work.flatMap(EntryWork::old);
  }

  private int addedColumns() {
    return work.map(w -> w.columns().size()).orElse(0);
  }

  /**
   * Before an UPDATE that may change entries: the rows as they are, locked ({@link LockedRows}),
   * wherever they are.
   */
  private CompletableFuture<Prepared> lock(Prepared prepared) {
    return old().isEmpty()
        ? CompletableFuture.completedFuture(prepared)
        : lock(prepared, new Elsewhere.Where(parts, narrowing));
  }

  private CompletableFuture<Prepared> lock(Prepared prepared, Elsewhere.Where where) {
    StatementText text = execution.planned().text();
    String sql = old().orElseThrow().lock(text, EntryWork.ROWS_MOST + 1, where.narrowing());
    List<CompletableFuture<Void>> all = new ArrayList<>();
    for (RowSplit.Part part : where.parts()) {
      BackendConnection main = main(part.shard());
      LockedRows rows =
          locked.computeIfAbsent(
              part.shard(), shard -> new LockedRows(old().orElseThrow(), text, main));
      all.add(
          main.query(lockRequest(sql, prepared.types()))
              .thenAccept(rows::add)
              .whenComplete((done, failure) -> cancelOthers(failure)));
    }
    return CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new))
        .thenCompose(
            done -> {
              long count = locked.values().stream().mapToLong(LockedRows::size).sum();
              EntryTransaction.requireBounded(count);
              return elsewhere.after(this::lockedEntries, count);
            })
        .thenCompose(
            more ->
                more.isEmpty()
                    ? CompletableFuture.completedFuture(prepared)
                    : lockMore(prepared, more.get()));
  }

  private CompletableFuture<Prepared> lockMore(Prepared prepared, Elsewhere.Where where) {
    List<RowSplit.Part> all = new ArrayList<>(parts);
    where.parts().stream().filter(p -> !mains.containsKey(p.shard())).forEach(all::add);
    parts = all;
    return enlist(where.parts()).thenCompose(enlisted -> lock(prepared, where));
  }

  private List<ReturnedRows.Found> lockedEntries() {
    return locked.entrySet().stream()
        .flatMap(
            each -> each.getValue().entries(each.getKey(), indexes, work.orElseThrow()).stream())
        .toList();
  }

  private void cancelOthers(@Nullable Throwable failure) {
    if (failure != null) {
      mains.values().forEach(BackendConnection::cancel);
    }
  }

  private BackendRequest lockRequest(String sql, ParameterTypes types) {
    return execution.simple()
        ? new BackendRequest.Query(sql)
        : new BackendRequest.Extended(
            sql,
            execution.named(),
            types,
            execution.wireParameters().withResultFormats(),
            "",
            false,
            0);
  }

  private String sql(RowSplit.Part part) {
    LockedRows rows = locked.get(part.shard());
    return rows == null || work.isEmpty()
        ? part.sql()
        : old()
            .orElseThrow()
            .update(execution.planned().text(), rows.condition(), work.get().edit().text());
  }

  private BackendConnection main(ShardId shard) {
    BackendConnection main = mains.get(shard);
    if (main == null) {
      throw ErrorCode.INTERNAL.because("a part of a write has no backend");
    }
    return main;
  }

  private void send(Prepared prepared) {
    open = parts.size();
    List<Answer> awaited =
        parts.stream().map(part -> new Answer(part, main(part.shard()))).toList();
    answers.addAll(awaited);
    for (Answer answer : awaited) {
      boolean reusable = answer.part.rows().isEmpty() && old().isEmpty();
      String sql = sql(answer.part);
      BackendRequest request =
          execution.simple()
              ? new BackendRequest.Query(sql)
              : new BackendRequest.Extended(
                  sql,
                  reusable && execution.named(),
                  prepared.types(),
                  prepared.parameters(),
                  "",
                  true,
                  0);
      answer.main.send(request, answer);
    }
  }

  // --- the answers -----------------------------------------------------------------------------

  private void fail(Answer by, ErrorFields fields) {
    if (failure == null) {
      failure = fields;
      byFence = execution.tx().stoppedByFence();
      answers.stream().filter(a -> a != by && !a.over).forEach(a -> a.main.cancel());
    }
  }

  private void answered(Answer answer) {
    answer.over = true;
    open--;
    if (open > 0) {
      return;
    }
    if (failure != null) {
      execution.failFirst(failure, byFence);
    } else if (old().isPresent()) {
      finish();
    } else {
      execution.then(
          elsewhere.after(this::returnedEntries, rows),
          more -> more.ifPresentOrElse(this::goOn, this::finish));
    }
  }

  private List<ReturnedRows.Found> returnedEntries() {
    return answers.stream().flatMap(a -> a.returned.found().stream()).toList();
  }

  /** With rows that were not among those of the parts before. */
  private void goOn(Elsewhere.Where where) {
    parts = where.parts();
    narrowing = where.narrowing();
    start();
  }

  /** Gives the answer, the entries first. */
  private void finish() {
    giveRows();
    execution.then(maintain().thenCompose(done -> commitIfSingle()), done -> complete());
  }

  /** Rows of an INSERT come in the order of its VALUES, unless a trigger has kept some out. */
  private void giveRows() {
    boolean whole = answers.stream().allMatch(a -> a.kept.size() == a.part.rows().size());
    if (!whole) {
      answers.forEach(a -> a.kept.forEach(execution.sink()::rows));
      return;
    }
    int count = answers.stream().mapToInt(a -> a.kept.size()).sum();
    for (int row = 0; row < count; row++) {
      for (Answer answer : answers) {
        if (!answer.kept.isEmpty() && answer.part.rows().get(answer.next) == row) {
          execution.sink().rows(answer.kept.remove());
          answer.next++;
          break;
        }
      }
    }
  }

  private CompletableFuture<Void> maintain() {
    if (work.isEmpty() || (kind == Plan.WriteKind.UPDATE && old().isEmpty())) {
      return CompletableFuture.completedFuture(null);
    }
    List<ReturnedRows.Found> found = returnedEntries();
    EntryTransaction entries = execution.tx().entries();
    return switch (kind) {
      case INSERT ->
          entries
              .check(answers.stream().flatMap(a -> a.mappings.found().stream()).toList())
              .thenCompose(held -> entries.add(mains, found));
      case DELETE -> entries.remove(mains, found);
      case UPDATE ->
          before()
              .thenCompose(
                  before -> entries.change(mains, before, found, old().orElseThrow().fixed()));
    };
  }

  /** The entries that the updated rows had. */
  private CompletableFuture<List<ReturnedRows.Found>> before() {
    CompletableFuture<List<ReturnedRows.Found>> all =
        CompletableFuture.completedFuture(new ArrayList<>());
    for (Answer answer : answers) {
      LockedRows rows = locked.get(answer.part.shard());
      if (rows == null) {
        throw ErrorCode.INTERNAL.because("an UPDATE has changed rows that it had not locked");
      }
      all =
          all.thenCombine(
              rows.before(answer.part.shard(), indexes, work.orElseThrow(), answer.given),
              (one, more) -> {
                one.addAll(more);
                return one;
              });
    }
    return all;
  }

  private CompletableFuture<Void> commitIfSingle() {
    return execution.tx().scope() == Transaction.Scope.SINGLE
        ? execution.tx().commit()
        : CompletableFuture.completedFuture(null);
  }

  private void complete() {
    execution.sink().complete((kind == Plan.WriteKind.INSERT ? "INSERT 0 " : kind + " ") + rows);
    execution.done();
  }

  /** One shard's answer. */
  private final class Answer implements BackendListener {
    private final RowSplit.Part part;
    private final BackendConnection main;
    private final ReturnedRows returned;
    private final MappingRows mappings;
    private final Deque<Frame> kept = new ArrayDeque<>();
    private int next;
    private int clientColumns;
    private long given;
    private boolean over;

    Answer(RowSplit.Part part, BackendConnection main) {
      this.part = part;
      this.main = main;
      this.returned =
          new ReturnedRows(part.shard(), indexes, work.map(EntryWork::columns).orElse(List.of()));
      this.mappings = new MappingRows(references, work.map(EntryWork::columns).orElse(List.of()));
    }

    @Override
    public void rowDescription(Frame frame) {
      RowDescription all = RowDescription.read(frame);
      clientColumns = all.fields().size() - addedColumns();
      if (description == null) {
        description = all;
        execution
            .changed(all.keepFirst(clientColumns))
            .ifPresentOrElse(this::stop, () -> added.describe(all, clientColumns));
      } else if (!OverShards.alike(description, all)) {
        stop(
            ErrorFields.of(
                ErrorCode.SCATTER_SHARDS_DIFFER.because(
                    "shard %s differs in its columns".formatted(part.shard()))));
      }
    }

    @Override
    public void noData() {
      if (!nothingDescribed && execution.describes()) {
        execution.sink().noData();
      }
      nothingDescribed = true;
    }

    @Override
    public void rows(Frame frame) {
      if (failure != null) {
        return;
      }
      try {
        derive(frame);
        given += frame.count();
        if (returns) {
          give(frame);
        }
      } catch (ConcordException e) {
        stop(Failures.fields(e));
      }
    }

    private void derive(Frame frame) {
      if (work.isEmpty()) {
        return;
      }
      for (List<@Nullable String> added : AddedColumns.texts(frame, clientColumns)) {
        if (work.get().changesEntries(added)) {
          returned.add(added);
          mappings.add(added);
        }
      }
      EntryTransaction.requireBounded(
          answers.stream()
              .mapToLong(a -> a.returned.found().size() + a.mappings.found().size())
              .sum());
    }

    private void give(Frame frame) {
      if (part.rows().isEmpty()) {
        execution.sink().rows(DataRows.keepFirst(frame, clientColumns));
      } else {
        kept.addAll(DataRows.split(frame, clientColumns));
      }
    }

    /** This part too is of no use any more. */
    private void stop(ErrorFields fields) {
      fail(this, fields);
      main.cancel();
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
      fail(this, execution.placed(ErrorFields.read(frame), sql(part)));
    }

    @Override
    public void ready(TransactionStatus status) {
      answered(this);
    }

    @Override
    public void lost(ConcordException cause) {
      fail(this, Failures.fields(cause));
      answered(this);
    }
  }
}
