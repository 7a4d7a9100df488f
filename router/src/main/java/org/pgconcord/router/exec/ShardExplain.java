package org.pgconcord.router.exec;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.Tuple;
import org.pgconcord.gsi.LookupIndex;
import org.pgconcord.router.backend.BackendConnection;
import org.pgconcord.router.backend.BackendRequest;
import org.pgconcord.router.plan.Fetch;
import org.pgconcord.router.plan.FirstLocked;
import org.pgconcord.router.plan.LookupRead;
import org.pgconcord.router.plan.Parameters;
import org.pgconcord.router.plan.Plan;
import org.pgconcord.router.plan.QueryFirst;
import org.pgconcord.router.plan.Resolution;
import org.pgconcord.router.plan.RowSplit;
import org.pgconcord.router.plan.SessionCommand;
import org.pgconcord.router.plan.StatementFacts;
import org.pgconcord.router.sql.StatementText;
import org.pgconcord.router.tx.Failures;
import org.pgconcord.router.wire.DataRows;
import org.pgconcord.router.wire.Frame;
import org.pgconcord.router.wire.ParameterTypes;
import org.pgconcord.router.wire.RowDescription;

/**
 * EXPLAIN without ROUTER. What one shard would answer alone it explains alone, by the client's own
 * text. Else every shard that would take part explains what it would be sent, and the answers are
 * put together under headings ({@link ShardPlans}). A write in which the router takes part is
 * explained, never analyzed: a shard that ran its part would leave out the router's.
 */
final class ShardExplain implements Plan.Cases<Void> {
  /**
   * One shard's part.
   *
   * @param table whose rows are fetched for a gathered query; empty for other parts
   */
  record Part(ShardId shard, String table, String sql) {}

  private final Execution execution;
  private final Plan.ShardExplain plan;

  /** The explained statement, which the plan's tokens are of. */
  private final Execution inner;

  private final StatementText text;

  private ShardExplain(Execution execution, Plan.ShardExplain plan) {
    this.execution = execution;
    this.plan = plan;
    this.inner = execution.about(plan.explained());
    this.text = plan.explained().text();
  }

  static void run(Execution execution, Plan.ShardExplain plan) {
    plan.explained().plan().match(new ShardExplain(execution, plan));
  }

  private Parameters parameters() {
    return execution.parameters();
  }

  // --- one shard -------------------------------------------------------------------------------

  private Void alone(ShardId shard) {
    OnOneShard.run(execution, plan.facts(), shard);
    return null;
  }

  @Override
  public Void oneShard(Plan.OneShard one) {
    return bound(one.binding().resolve(text, parameters()), one.otherwise());
  }

  @Override
  public Void write(Plan.Write write) {
    return bound(write.binding().resolve(text, parameters()), write.otherwise());
  }

  @Override
  public Void writesInWith(Plan.WritesInWith write) {
    return bound(write.binding().resolve(text, parameters()), write.otherwise());
  }

  private Void bound(Resolution where, Plan otherwise) {
    return where instanceof Resolution.One one ? alone(one.shard()) : otherwise.match(this);
  }

  @Override
  public Void anyCopy(Plan.AnyCopy copies) {
    return alone(Dispatch.copy(execution, copies));
  }

  @Override
  public Void unsharded(Plan.Unsharded unsharded) {
    return alone(unsharded.shard());
  }

  @Override
  public Void authoritative(Plan.Authoritative authoritative) {
    return alone(authoritative.shard());
  }

  @Override
  public Void copyWrite(Plan.CopyWrite write) {
    refuseAnalyze();
    return alone(write.leader());
  }

  // --- several ---------------------------------------------------------------------------------

  @Override
  public Void scatter(Plan.Scatter scatter) {
    return everywhere(scatter.shards(text, parameters()), text.sql());
  }

  @Override
  public Void sorted(Plan.Sorted sorted) {
    return everywhere(sorted.rows().shards(text, parameters()), text.sql());
  }

  /** What each shard would do for as many rows as the limit lets through. */
  @Override
  public Void firstLocked(FirstLocked locked) {
    refuseAnalyze();
    return everywhere(locked.rows().shards(text, parameters()), text.sql());
  }

  @Override
  public Void writeOnAll(Plan.WriteOnAll write) {
    refuseAnalyze();
    return everywhere(write.shards(text, parameters()), text.sql());
  }

  @Override
  public Void insertInParts(Plan.InsertInParts insert) {
    refuseAnalyze();
    return rows(insert.rows());
  }

  @Override
  public Void insertUnlessTaken(Plan.InsertUnlessTaken insert) {
    refuseAnalyze();
    return rows(insert.rows());
  }

  @Override
  public Void upsert(Plan.Upsert insert) {
    refuseAnalyze();
    return rows(insert.rows());
  }

  @Override
  public Void insertGathered(Plan.InsertGathered insert) {
    throw needsRouter();
  }

  @Override
  public Void queryFirst(QueryFirst first) {
    throw needsRouter();
  }

  private Void rows(RowSplit split) {
    return parts(
        split.parts(text, parameters(), "").stream()
            .map(part -> new Part(part.shard(), "", part.sql()))
            .toList());
  }

  private Void everywhere(List<ShardId> shards, String sql) {
    return parts(shards.stream().map(shard -> new Part(shard, "", sql)).toList());
  }

  /** The fetches; what the finishing shard makes of them depends on what they find. */
  @Override
  public Void gather(Plan.Gather gather) {
    List<FetchPlaces.Place> places = new ArrayList<>();
    CompletableFuture<Void> all = CompletableFuture.completedFuture(null);
    for (Fetch fetch : gather.fetches()) {
      all = all.thenCompose(before -> FetchPlaces.find(inner, fetch)).thenAccept(places::add);
    }
    execution.then(all, found -> fetches(gather, places));
    return null;
  }

  private void fetches(Plan.Gather gather, List<FetchPlaces.Place> places) {
    List<Part> parts = new ArrayList<>();
    for (int i = 0; i < places.size(); i++) {
      Fetch fetch = gather.fetches().get(i);
      String sql = fetch.sql(text, places.get(i).conditions());
      places.get(i).shards().forEach(s -> parts.add(new Part(s, fetch.table().toString(), sql)));
    }
    if (parts.isEmpty()) {
      alone(gather.finishers().get(0));
    } else {
      parts(parts);
    }
  }

  // --- through an index ------------------------------------------------------------------------

  @Override
  public Void gsiRead(Plan.GsiRead read) {
    Plan chosen = inner.cheapest(read, text).plan();
    return chosen instanceof Plan.GsiRead led
        ? found(led.lookup(), led.otherwise())
        : chosen.match(this);
  }

  @Override
  public Void gsiWrite(Plan.GsiWrite write) {
    refuseAnalyze();
    return found(write.lookup(), write.otherwise());
  }

  private Void found(LookupRead read, Plan otherwise) {
    EntryLookup.find(inner, read, new Found(read, otherwise));
    return null;
  }

  /** Explains where the entries lead. */
  private final class Found implements EntryLookup.Found {
    private final LookupRead read;
    private final Plan otherwise;

    Found(LookupRead read, Plan otherwise) {
      this.read = read;
      this.otherwise = otherwise;
    }

    @Override
    public void unusable() {
      guarded(() -> otherwise.match(ShardExplain.this));
    }

    @Override
    public void nothing() {
      guarded(() -> everywhere(List.of(read.anyOwnerShard()), text.sql()));
    }

    @Override
    public void several(EntriesLookup lookup, Set<Tuple> shardKeys, long rows) {
      Set<ShardId> shards = new TreeSet<>();
      shardKeys.forEach(key -> shards.add(read.index().shardOf(key)));
      boolean reads = plan.explained().plan().facts().command() == StatementFacts.Command.SELECT;
      String sql = reads ? text.sql() : read.ownerSql(text, shardKeys);
      guarded(() -> everywhere(List.copyOf(shards), sql));
    }

    @Override
    public void owners(EntryLookup lookup, Set<Tuple> shardKeys, boolean own) {
      LookupIndex index = read.index();
      Set<ShardId> shards = new TreeSet<>();
      shardKeys.forEach(key -> shards.add(index.shardOf(key)));
      guarded(() -> everywhere(List.copyOf(shards), read.ownerSql(text, shardKeys)));
    }

    private void guarded(Runnable next) {
      try {
        next.run();
      } catch (RuntimeException e) {
        execution.fail(e);
      }
    }
  }

  // --- none ------------------------------------------------------------------------------------

  @Override
  public Void copyFrom(Plan.CopyFrom copy) {
    throw needsRouter();
  }

  @Override
  public Void copyByInsert(Plan.CopyByInsert copy) {
    throw needsRouter();
  }

  /** The planner has put its sample in its place. */
  @Override
  public Void numbered(Plan.Numbered plan) {
    return plan.sample().match(this);
  }

  @Override
  public Void copyQuery(Plan.CopyQuery copy) {
    throw needsRouter();
  }

  @Override
  public Void merge(Plan.Merge merge) {
    throw needsRouter();
  }

  @Override
  public Void copyTo(Plan.CopyTo copy) {
    throw needsRouter();
  }

  @Override
  public Void shardExplain(Plan.ShardExplain other) {
    throw needsRouter();
  }

  @Override
  public Void session(SessionCommand command) {
    throw needsRouter();
  }

  @Override
  public Void refused(Plan.Refused refused) {
    throw refused.toException();
  }

  private void refuseAnalyze() {
    if (plan.analyze()) {
      throw needsRouter();
    }
  }

  private static org.pgconcord.config.error.ConcordException needsRouter() {
    return ErrorCode.EXPLAIN_NEEDS_ROUTER.because(
        "the router takes part in this statement, which no shard runs by itself");
  }

  // --- asking ----------------------------------------------------------------------------------

  private final List<BackendConnection> backends = new ArrayList<>();
  private @Nullable Throwable failure;

  private Void parts(List<Part> parts) {
    StatementFacts facts = plan.explained().plan().facts();
    execution.requireEqualCopies(facts, parts.stream().map(Part::shard).toList());
    CompletableFuture<Void> all = CompletableFuture.completedFuture(null);
    for (Part part : parts) {
      all =
          all.thenCompose(before -> execution.tx().backend(part.shard())).thenAccept(backends::add);
    }
    execution.then(all.thenCompose(acquired -> types(parts)), types -> send(parts, types));
    return null;
  }

  /**
   * A part need not use all parameters, whose types no shard could tell from it alone. Nor do
   * fetches tell what is wrong with the query that they are made for.
   */
  private CompletableFuture<ParameterTypes> types(List<Part> parts) {
    boolean fetches = parts.stream().anyMatch(part -> !part.table().isEmpty());
    return execution.wireParameters().count() == 0 && !fetches
        ? CompletableFuture.completedFuture(ParameterTypes.NONE)
        : DescribedStatement.ask(
                backends.get(0), fetches ? execution.sql() : text.sql(), execution.declaredTypes())
            .thenApply(DescribedStatement::types);
  }

  private void send(List<Part> parts, ParameterTypes types) {
    List<CompletableFuture<PartAnswer>> answers = new ArrayList<>();
    for (int i = 0; i < parts.size(); i++) {
      BackendConnection backend = backends.get(i);
      answers.add(PartAnswer.of(backend, request(plan.prefix() + parts.get(i).sql(), types), 0));
    }
    for (CompletableFuture<PartAnswer> answer : answers) {
      var unused = answer.whenComplete((done, failed) -> cancelAll(failed));
    }
    Execution.whenDone(
        CompletableFuture.allOf(answers.toArray(CompletableFuture<?>[]::new)),
        () -> {
          try {
            answered(parts, answers);
          } catch (RuntimeException e) {
            execution.fail(e);
          }
        });
  }

  private BackendRequest request(String sql, ParameterTypes types) {
    return execution.wireParameters().count() == 0
        ? new BackendRequest.Query(sql)
        : new BackendRequest.Extended(
            sql, false, types, execution.wireParameters().withResultFormats(), "", true, 0);
  }

  private void cancelAll(@Nullable Throwable failed) {
    if (failed != null && failure == null) {
      failure = failed;
      backends.stream().distinct().forEach(BackendConnection::cancel);
    }
  }

  private void answered(List<Part> parts, List<CompletableFuture<PartAnswer>> answers) {
    if (failure != null) {
      execution.fail(Failures.fields(failure));
      return;
    }
    List<String> plans = new ArrayList<>();
    RowDescription columns = new RowDescription(List.of());
    for (CompletableFuture<PartAnswer> answer : answers) {
      answer.join().notices().forEach(execution.sink()::notice);
      columns = described(answer.join(), columns);
      plans.add(rows(answer.join()));
    }
    if (execution.describes()) {
      execution.sink().rowDescription(columns);
    }
    new ShardPlans(plan.format())
        .together(parts, plans)
        .forEach(row -> execution.sink().row(List.of(row)));
    execution.sink().complete("EXPLAIN");
    execution.done();
  }

  private static RowDescription described(PartAnswer answer, RowDescription otherwise) {
    RowDescription mine = answer.description();
    return mine == null ? otherwise : mine;
  }

  /** The lines of a plan in text, or one document. */
  private static String rows(PartAnswer answer) {
    List<String> lines = new ArrayList<>();
    for (Frame row : answer.rows()) {
      DataRows.texts(row).forEach(values -> lines.add(String.valueOf(values.get(0))));
    }
    return String.join("\n", lines);
  }
}
