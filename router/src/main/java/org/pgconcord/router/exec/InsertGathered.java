package org.pgconcord.router.exec;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.topology.Referrer;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.gsi.LookupIndex;
import org.pgconcord.router.backend.BackendConnection;
import org.pgconcord.router.backend.BackendRequest;
import org.pgconcord.router.entries.EntryTransaction;
import org.pgconcord.router.entries.MappingRows;
import org.pgconcord.router.entries.ReturnedRows;
import org.pgconcord.router.plan.EntryWork;
import org.pgconcord.router.plan.Plan;
import org.pgconcord.router.plan.PlanContext;
import org.pgconcord.router.plan.Planned;
import org.pgconcord.router.plan.TransactionModes;
import org.pgconcord.router.session.ClientPortal;
import org.pgconcord.router.session.ClientStatement;
import org.pgconcord.router.session.StatementCall;
import org.pgconcord.router.sql.StatementText;
import org.pgconcord.router.tx.Failures;
import org.pgconcord.router.tx.Transaction;
import org.pgconcord.router.wire.Frame;
import org.pgconcord.router.wire.ParameterTypes;
import org.pgconcord.router.wire.Parameters;
import org.pgconcord.router.wire.RowDescription;

/**
 * INSERT ... SELECT whose rows do not belong where they are made (docs/decisions/0013): the query
 * is answered first, whole, by whatever route it takes; then its rows are stored by value, some
 * hundreds at a time, each on its shard, with their entries.
 *
 * <p>One shard describes the client's whole statement before anything runs, so that what is wrong
 * with it is told as by one server. All rows are held before the first is stored: the query never
 * sees them.
 */
final class InsertGathered {
  private static final int ROWS_MOST = 1_000;

  private final Execution execution;
  private final Plan.InsertGathered plan;
  private final List<LookupIndex> indexes;
  private final Map<Referrer, LookupIndex> references = new LinkedHashMap<>();
  private final AddedColumns added;
  private final Map<ShardId, BackendConnection> mains = new LinkedHashMap<>();
  private ParameterTypes types = ParameterTypes.NONE;
  private Parameters parameters;
  private boolean described;
  private long stored;

  private InsertGathered(Execution execution, Plan.InsertGathered plan) {
    this.execution = execution;
    this.plan = plan;
    this.parameters = execution.wireParameters();
    RouterServices services = execution.session().services();
    this.indexes =
        plan.entries().map(EntryWork::gsis).orElse(List.of()).stream()
            .map(gsi -> services.indexes().of(services.epochs().current(), gsi))
            .toList();
    plan.entries()
        .map(EntryWork::references)
        .orElse(List.of())
        .forEach(r -> references.put(r, services.indexes().of(services.epochs().current(), r)));
    this.added =
        new AddedColumns(
            execution,
            plan.entries()
                .map(work -> work.sql(execution.planned().text()))
                .orElseGet(execution::sql),
            plan.returns(),
            columns().size());
  }

  private List<String> columns() {
    return plan.entries().map(EntryWork::columns).orElse(List.of());
  }

  /**
   * Runs it.
   *
   * @param route runs the query, and the rows where they are planned anew
   */
  static void run(Execution execution, Plan.InsertGathered plan, Consumer<Execution> route) {
    Transaction tx = execution.tx();
    if (tx.scope() == Transaction.Scope.NONE) {
      tx.begin(Transaction.Scope.SINGLE, TransactionModes.NONE);
    }
    InsertGathered insert = new InsertGathered(execution, plan);
    execution.then(
        tx.backend(plan.describer())
            .thenCompose(
                shard ->
                    DescribedStatement.ask(shard, insert.added.sql(), execution.declaredTypes())
                        .thenCompose(
                            found -> {
                              insert.types = found.types();
                              return insert.added.formats(shard);
                            })),
        formats -> {
          insert.parameters = formats;
          insert.fetch(route);
        });
  }

  // --- the query -------------------------------------------------------------------------------

  private void fetch(Consumer<Execution> route) {
    String sql = plan.parts().query(execution.planned().text());
    ClientPortal portal =
        new ClientPortal(
            "",
            new ClientStatement("", sql, types),
            execution.wireParameters().withResultFormats((short) 1),
            types);
    FetchedRows rows = new FetchedRows(execution.sink(), Gather.HELD_MOST);
    Execution query =
        execution.query(
            new StatementCall.Execute(portal, true, 0),
            new Planned(plan.select(), StatementText.one(sql)),
            rows,
            () -> fetched(rows, route));
    run(query, route);
  }

  private static void run(Execution query, Consumer<Execution> route) {
    try {
      route.accept(query);
    } catch (RuntimeException e) {
      query.fail(e);
    }
  }

  private void fetched(FetchedRows rows, Consumer<Execution> route) {
    if (rows.failed()) {
      execution.done();
      return;
    }
    GatheredValues values =
        new GatheredValues(execution, plan, types, parameters, rows.description());
    execution.then(
        CompletableFuture.completedFuture(rows)
            .thenCompose(
                all -> {
                  all.requireBounded();
                  return values.numbered(all.rows());
                }),
        all -> {
          if (plan.conflicts().isPresent() && !all.isEmpty()) {
            planAnew(values, all, plan.conflicts().get(), route);
          } else {
            execution.then(
                store(values, all, 0).thenCompose(done -> commitIfSingle()), done -> complete());
          }
        });
  }

  private void complete() {
    if (!described) {
      describeNothing();
    }
    execution.sink().complete("INSERT 0 " + stored);
    execution.done();
  }

  /** Without a row no shard has said what RETURNING has. */
  private void describeNothing() {
    if (execution.describes() && !plan.returns() && !execution.simple()) {
      execution.sink().noData();
    }
  }

  // --- rows that may meet others ---------------------------------------------------------------

  /**
   * One INSERT ... VALUES of all rows, which is planned and run like a client's: so that two rows
   * that meet are told as in one statement.
   */
  private void planAnew(
      GatheredValues values,
      List<List<byte @Nullable []>> rows,
      PlanContext context,
      Consumer<Execution> route) {
    if (rows.size() > values.most()) {
      throw ErrorCode.QUERY_TOO_LARGE.because(
          "ON CONFLICT of an INSERT ... SELECT takes at most %d rows of %d columns"
              .formatted(values.most(), values.width()));
    }
    String sql = values.sql(rows.size(), "");
    GatheredValues.Bound bound = values.bound(execution.wireParameters(), rows);
    ClientPortal portal =
        new ClientPortal(
            "", new ClientStatement("", sql, bound.types()), bound.values(), bound.types());
    StoredRows stored = new StoredRows(execution.sink());
    run(
        execution.query(
            new StatementCall.Execute(portal, execution.describes(), 0),
            execution.session().services().planner().plan(StatementText.one(sql), context),
            stored,
            () -> storedAnew(stored)),
        route);
  }

  private void storedAnew(StoredRows rows) {
    Optional<String> tag = rows.tag();
    if (tag.isEmpty()) {
      execution.done();
      return;
    }
    execution.then(
        commitIfSingle(),
        done -> {
          execution.sink().complete(tag.get());
          execution.done();
        });
  }

  // --- the rows --------------------------------------------------------------------------------

  private CompletableFuture<Void> store(
      GatheredValues values, List<List<byte @Nullable []>> rows, int from) {
    if (from >= rows.size() && (described || from > 0 || !plan.returns())) {
      return CompletableFuture.completedFuture(null);
    }
    int to = Math.min(rows.size(), from + Math.min(ROWS_MOST, values.most()));
    Map<ShardId, List<Integer>> byShard = new TreeMap<>();
    for (int row = from; row < to; row++) {
      byShard.computeIfAbsent(values.shardOf(rows.get(row)), s -> new ArrayList<>()).add(row);
    }
    if (byShard.isEmpty()) {
      return describeReturning();
    }
    return round(values, rows, byShard).thenCompose(done -> store(values, rows, to));
  }

  /** The client waits for the columns of no rows. */
  private CompletableFuture<Void> describeReturning() {
    return execution
        .tx()
        .backend(plan.describer())
        .thenCompose(shard -> DescribedStatement.ask(shard, added.sql(), types))
        .thenAccept(
            found -> {
              List<RowDescription.Field> fields = new ArrayList<>();
              for (RowDescription.Field field : found.rows().fields()) {
                fields.add(field.withFormat(parameters.resultFormat(fields.size())));
              }
              describe(new RowDescription(fields));
            });
  }

  private void describe(RowDescription all) {
    described = true;
    added.describe(all, all.fields().size() - columns().size());
  }

  private CompletableFuture<Void> round(
      GatheredValues values,
      List<List<byte @Nullable []>> rows,
      Map<ShardId, List<Integer>> byShard) {
    CompletableFuture<Void> acquired = CompletableFuture.completedFuture(null);
    for (ShardId shard : byShard.keySet()) {
      execution.tx().write(shard);
      acquired =
          acquired
              .thenCompose(before -> execution.tx().backend(shard))
              .thenAccept(backend -> mains.put(shard, backend));
    }
    return acquired.thenCompose(
        all -> {
          Map<ShardId, CompletableFuture<PartAnswer>> answers = new LinkedHashMap<>();
          FirstFailure first = new FirstFailure();
          byShard.forEach(
              (shard, places) ->
                  answers.put(
                      shard,
                      send(values, shard, places.stream().map(rows::get).toList())
                          .whenComplete((done, cause) -> first.note(cause))));
          return CompletableFuture.allOf(answers.values().toArray(CompletableFuture<?>[]::new))
              .handle((done, cause) -> cause == null ? null : first.cause(cause))
              .thenCompose(
                  cause ->
                      cause == null
                          ? follow(byShard, answers)
                          : CompletableFuture.failedFuture(cause));
        });
  }

  /** Who fails first is told; the others are cancelled, and fail because of it. */
  private final class FirstFailure {
    private @Nullable Throwable first;

    void note(@Nullable Throwable cause) {
      if (cause != null && first == null) {
        first = Failures.cause(cause);
        mains.values().forEach(BackendConnection::cancel);
      }
    }

    Throwable cause(Throwable other) {
      return first == null ? other : first;
    }
  }

  private CompletableFuture<PartAnswer> send(
      GatheredValues values, ShardId shard, List<List<byte @Nullable []>> rows) {
    BackendConnection main = mains.get(shard);
    if (main == null) {
      throw ErrorCode.INTERNAL.because("a part of a write has no backend");
    }
    GatheredValues.Bound bound = values.bound(parameters, rows);
    return PartAnswer.of(
        main,
        new BackendRequest.Extended(
            values.sql(rows.size(), plan.entries().map(work -> work.edit().text()).orElse("")),
            false,
            bound.types(),
            bound.values(),
            "",
            true,
            0),
        columns().size());
  }

  private CompletableFuture<Void> follow(
      Map<ShardId, List<Integer>> byShard, Map<ShardId, CompletableFuture<PartAnswer>> answers) {
    List<ReturnedRows.Found> found = new ArrayList<>();
    List<MappingRows.Found> mappings = new ArrayList<>();
    Map<Integer, Frame> inOrder = new TreeMap<>();
    List<Frame> asTheyCome = new ArrayList<>();
    boolean whole = true;
    for (Map.Entry<ShardId, List<Integer>> part : byShard.entrySet()) {
      PartAnswer answer = answers.getOrDefault(part.getKey(), new CompletableFuture<>()).join();
      answer.notices().forEach(execution.sink()::notice);
      stored += answer.count();
      if (!described) {
        Optional.ofNullable(answer.description()).ifPresent(this::describe);
      }
      ReturnedRows entries = new ReturnedRows(part.getKey(), indexes, columns());
      MappingRows pointed = new MappingRows(references, columns());
      answer.added().forEach(entries::add);
      answer.added().forEach(pointed::add);
      found.addAll(entries.found());
      mappings.addAll(pointed.found());
      List<Frame> frames = new ArrayList<>(answer.rows());
      asTheyCome.addAll(frames);
      whole &= frames.size() == part.getValue().size();
      for (int i = 0; whole && i < frames.size(); i++) {
        inOrder.put(part.getValue().get(i), frames.get(i));
      }
    }
    if (plan.returns()) {
      (whole ? inOrder.values() : asTheyCome).forEach(execution.sink()::rows);
    }
    if (plan.entries().isEmpty()) {
      return CompletableFuture.completedFuture(null);
    }
    EntryTransaction entries = execution.tx().entries();
    return entries.check(mappings).thenCompose(held -> entries.add(mains, found));
  }

  private CompletableFuture<Void> commitIfSingle() {
    return execution.tx().scope() == Transaction.Scope.SINGLE
        ? execution.tx().commit()
        : CompletableFuture.completedFuture(null);
  }
}
