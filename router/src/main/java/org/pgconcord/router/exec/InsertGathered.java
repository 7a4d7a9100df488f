package org.pgconcord.router.exec;

import java.nio.ByteBuffer;
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
import org.pgconcord.router.plan.NumberedColumn;
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
 * with it is told as by one server. A value travels in binary under its own type and is then
 * assigned to the column, which is what the one server does. A text may be a literal, which takes
 * the column's type; so it is sent as text and without type. All rows are held before the first is
 * stored: the query never sees them.
 */
final class InsertGathered {
  private static final int ROWS_MOST = 1_000;
  private static final int PARAMETERS_MOST = 65_535;
  private static final int TEXT_OID = 25;
  private static final int INT8_OID = 20;

  /** The first oid that is not PostgreSQL's own: it may be another on another shard. */
  private static final int FIRST_USER_OID = 16_384;

  private final Execution execution;
  private final Plan.InsertGathered plan;
  private final List<LookupIndex> indexes;
  private final Map<Referrer, LookupIndex> references = new LinkedHashMap<>();
  private final AddedColumns added;
  private final Map<ShardId, BackendConnection> mains = new LinkedHashMap<>();
  private ParameterTypes types = ParameterTypes.NONE;
  private Parameters parameters;
  private List<Integer> columnTypes = List.of();
  private List<String> given = List.of();
  private final List<String> more = new ArrayList<>();
  private boolean always;
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
    execution.then(
        CompletableFuture.completedFuture(rows)
            .thenCompose(
                all -> {
                  all.requireBounded();
                  columnTypes =
                      all.description().fields().stream()
                          .map(RowDescription.Field::typeOid)
                          .toList();
                  return numbered(all.rows());
                }),
        all -> {
          if (plan.conflicts().isPresent() && !all.isEmpty()) {
            planAnew(all, plan.conflicts().get(), route);
          } else {
            execution.then(store(all, 0).thenCompose(done -> commitIfSingle()), done -> complete());
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

  // --- numbers ---------------------------------------------------------------------------------

  /** With a number each for the columns that the rows have no values for. */
  private CompletableFuture<List<List<byte @Nullable []>>> numbered(
      List<List<byte @Nullable []>> rows) {
    given = plan.columns().subList(0, Math.min(plan.columns().size(), columnTypes.size()));
    List<NumberedColumn> missing =
        plan.numbered().stream().filter(c -> !given.contains(c.name())).toList();
    if (missing.isEmpty()) {
      return CompletableFuture.completedFuture(rows);
    }
    requireWholeList(missing);
    List<List<byte @Nullable []>> all = new ArrayList<>();
    rows.forEach(row -> all.add(new ArrayList<>(row)));
    CompletableFuture<Void> taken = CompletableFuture.completedFuture(null);
    for (NumberedColumn column : missing) {
      taken =
          taken
              .thenCompose(
                  before -> execution.session().numbers().take(column.sequence(), all.size()))
              .thenAccept(numbers -> add(column, numbers, all));
    }
    return taken.thenApply(done -> all);
  }

  /** The key's place was counted in all columns of the table, or in those that are listed. */
  private void requireWholeList(List<NumberedColumn> missing) {
    boolean few = plan.columns().size() > columnTypes.size();
    boolean inKey = missing.stream().anyMatch(c -> plan.key().key().position(c.name()) >= 0);
    if (few && inKey) {
      throw ErrorCode.WRITE_NO_SHARD_KEY
          .because("the shard key is left to a sequence by an INSERT without a list of columns")
          .withHint("Name the columns.");
    }
  }

  private void add(NumberedColumn column, long[] numbers, List<List<byte @Nullable []>> rows) {
    more.add(column.name());
    always |= column.always();
    List<Integer> types = new ArrayList<>(columnTypes);
    types.add(INT8_OID);
    columnTypes = types;
    for (int i = 0; i < numbers.length; i++) {
      rows.get(i).add(ByteBuffer.allocate(Long.BYTES).putLong(numbers[i]).array());
    }
  }

  // --- rows that may meet others ---------------------------------------------------------------

  /**
   * One INSERT ... VALUES of all rows, which is planned and run like a client's: so that two rows
   * that meet are told as in one statement.
   */
  private void planAnew(
      List<List<byte @Nullable []>> rows, PlanContext context, Consumer<Execution> route) {
    int before = Math.max(types.count(), parameters.count());
    int most = (PARAMETERS_MOST - before) / Math.max(1, columnTypes.size());
    if (rows.size() > most) {
      throw ErrorCode.QUERY_TOO_LARGE.because(
          "ON CONFLICT of an INSERT ... SELECT takes at most %d rows of %d columns"
              .formatted(most, columnTypes.size()));
    }
    String sql = sql(before, rows.size(), "");
    Bound bound = bound(execution.wireParameters(), before, rows);
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

  private CompletableFuture<Void> store(List<List<byte @Nullable []>> rows, int from) {
    if (from >= rows.size() && (described || from > 0 || !plan.returns())) {
      return CompletableFuture.completedFuture(null);
    }
    int width = Math.max(1, columnTypes.size());
    int most = Math.min(ROWS_MOST, (PARAMETERS_MOST - types.count()) / width);
    int to = Math.min(rows.size(), from + most);
    Map<ShardId, List<Integer>> byShard = new TreeMap<>();
    for (int row = from; row < to; row++) {
      byShard
          .computeIfAbsent(plan.key().shardOf(rows.get(row), columnTypes), s -> new ArrayList<>())
          .add(row);
    }
    if (byShard.isEmpty()) {
      return describeReturning();
    }
    return round(rows, byShard).thenCompose(done -> store(rows, to));
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
      List<List<byte @Nullable []>> rows, Map<ShardId, List<Integer>> byShard) {
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
                      send(shard, places.stream().map(rows::get).toList())
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

  private CompletableFuture<PartAnswer> send(ShardId shard, List<List<byte @Nullable []>> rows) {
    BackendConnection main = mains.get(shard);
    if (main == null) {
      throw ErrorCode.INTERNAL.because("a part of a write has no backend");
    }
    int before = Math.max(types.count(), parameters.count());
    Bound bound = bound(parameters, before, rows);
    return PartAnswer.of(
        main,
        new BackendRequest.Extended(
            sql(before, rows.size(), plan.entries().map(work -> work.edit().text()).orElse("")),
            false,
            bound.types(),
            bound.values(),
            "",
            true,
            0),
        columns().size());
  }

  /** The client's values with those of rows behind them. */
  private record Bound(ParameterTypes types, Parameters values) {}

  private Bound bound(Parameters client, int before, List<List<byte @Nullable []>> rows) {
    List<byte @Nullable []> values = new ArrayList<>();
    rows.forEach(values::addAll);
    List<Boolean> binary = new ArrayList<>();
    int[] oids = new int[before + values.size()];
    for (int i = 0; i < before; i++) {
      oids[i] = types.oid(i);
    }
    for (int i = 0; i < values.size(); i++) {
      int oid = columnTypes.get(i % columnTypes.size());
      oids[before + i] = oid == TEXT_OID || oid >= FIRST_USER_OID ? 0 : oid;
      binary.add(oid != TEXT_OID);
    }
    return new Bound(new ParameterTypes(oids), client.and(values, binary));
  }

  private String sql(int before, int rows, String returning) {
    return plan.parts()
        .with(execution.planned().text(), given, more, always, values(before, rows), returning);
  }

  private String values(int before, int rows) {
    StringBuilder sql = new StringBuilder("VALUES ");
    int parameter = before;
    for (int row = 0; row < rows; row++) {
      for (int column = 0; column < columnTypes.size(); column++) {
        sql.append(column > 0 ? "," : row > 0 ? "), (" : "(").append('$').append(++parameter);
      }
    }
    return sql.append(')').toString();
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
