package org.pgconcord.router.exec;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.backend.BackendConnection;
import org.pgconcord.router.backend.BackendListener;
import org.pgconcord.router.backend.BackendRequest;
import org.pgconcord.router.plan.Fetch;
import org.pgconcord.router.plan.Plan;
import org.pgconcord.router.session.FanOut;
import org.pgconcord.router.sql.SqlReplacement;
import org.pgconcord.router.sql.StatementText;
import org.pgconcord.router.tx.Failures;
import org.pgconcord.router.wire.DataRows;
import org.pgconcord.router.wire.ErrorFields;
import org.pgconcord.router.wire.Frame;
import org.pgconcord.router.wire.ParameterTypes;
import org.pgconcord.router.wire.Parameters;
import org.pgconcord.router.wire.RowDescription;
import org.pgconcord.router.wire.TransactionStatus;

/**
 * A query over rows of several shards: they are fetched, all at once, and the finishing shard runs
 * the client's own query with arrays of them in the tables' places (docs/decisions/0021).
 *
 * <h2>Why the answer is right</h2>
 *
 * The finishing shard describes the client's text first, which tells the types of its parameters
 * and of its columns, and finds what is wrong with it in the client's own words. The fetched values
 * travel in binary, or as texts that no setting changes, and get their declared types and
 * collations back, so that the query computes over the same values as on one server that held all
 * rows. Should the rewritten query mean something else all the same, its columns have other types:
 * that is refused before a row is sent.
 *
 * <p>Each shard is read at a snapshot of its own, as by a scatter. The rows held are bounded; when
 * they are too many, or one shard fails, the other fetches are cancelled, and the client hears of
 * it after all have ended.
 */
final class Gather {
  /** Bytes of values held for one statement. */
  static final long HELD_MOST = 64 << 20;

  private final Execution execution;
  private final Plan.Gather plan;
  private final StatementText text;
  private final List<GatheredRows> gathered = new ArrayList<>();
  private final Map<ShardId, BackendConnection> backends = new LinkedHashMap<>();
  private final List<Part> running = new ArrayList<>();
  private final @Nullable Consumer<RowStream> opening;

  /** The numbers of the fetches that have been started. */
  private final Set<Integer> fetched = new HashSet<>();

  private @Nullable ErrorFields failure;
  private long held;

  private Gather(Execution execution, Plan.Gather plan, @Nullable Consumer<RowStream> opening) {
    this.execution = execution;
    this.plan = plan;
    this.text = execution.planned().text();
    this.opening = opening;
  }

  static void run(Execution execution, Plan.Gather plan) {
    run(execution, plan, null);
  }

  /** {@code then} gets the finished query's rows, all columns as text, when they are asked for. */
  static void open(Execution execution, Plan.Gather plan, Consumer<RowStream> then) {
    run(execution, plan, then);
  }

  private static void run(
      Execution execution, Plan.Gather plan, @Nullable Consumer<RowStream> opening) {
    Gather gather = new Gather(execution, plan, opening);
    gather.requireFanOut();
    ShardId finisher = gather.finisher();
    execution.requireEqualCopies(plan.facts(), gather.readers(finisher));
    execution.then(
        execution
            .tx()
            .backend(finisher)
            .thenCompose(
                backend ->
                    DescribedStatement.ask(backend, execution.sql(), execution.declaredTypes())
                        .thenAccept(described -> gather.described(backend, described))),
        sent -> {});
  }

  private void requireFanOut() {
    boolean named = plan.fetches().stream().allMatch(fetch -> fetch.binding().isPresent());
    execution.requireFanOut(
        named ? FanOut.MULTI : FanOut.SCATTER,
        () ->
            plan.fetches().stream()
                .flatMap(fetch -> fetch.shards(text, execution.parameters()).stream())
                .toList());
  }

  /** The shards whose copies of reference tables are read. */
  private Set<ShardId> readers(ShardId finisher) {
    Set<ShardId> readers = new HashSet<>(Set.of(finisher));
    plan.fetches().stream()
        .filter(Fetch::joined)
        .forEach(fetch -> readers.addAll(fetch.shards(text, execution.parameters())));
    return readers;
  }

  /** A shard that the transaction reads already, one without marked copies before all. */
  private ShardId finisher() {
    List<ShardId> equal = plan.facts().stale().without(plan.finishers());
    List<ShardId> shards = equal.isEmpty() ? plan.finishers() : equal;
    return shards.stream()
        .filter(execution.tx().shards()::contains)
        .findFirst()
        .orElse(shards.get(0));
  }

  // --- the fetches -----------------------------------------------------------------------------

  private void described(BackendConnection finisher, DescribedStatement query) {
    CompletableFuture<Void> all = CompletableFuture.completedFuture(null);
    for (Fetch fetch : plan.fetches()) {
      all =
          all.thenCompose(
                  before ->
                      DescribedStatement.ask(finisher, fetch.sql().render(text), query.types()))
              .thenAccept(d -> gathered.add(new GatheredRows(fetch, d.rows())));
      for (ShardId shard : fetch.shards(text, execution.parameters())) {
        all =
            all.thenCompose(before -> execution.tx().backend(shard))
                .thenAccept(backend -> backends.put(shard, backend));
      }
    }
    execution.then(all, acquired -> fetch(finisher, query));
  }

  private void fetch(BackendConnection finisher, DescribedStatement query) {
    for (Fetch fetch : plan.fetches()) {
      fetch.keys().ifPresent(k -> gathered.get(k.fetch()).column(k.column()).keep(Fetch.MOST_KEYS));
    }
    next(finisher, query);
  }

  /** Starts the fetches whose keys, if they wait for any, have come. */
  private void next(BackendConnection finisher, DescribedStatement query) {
    List<Integer> ready = new ArrayList<>();
    for (int i = 0; i < plan.fetches().size(); i++) {
      boolean waits =
          plan.fetches().get(i).keys().filter(keys -> !fetched.contains(keys.fetch())).isPresent();
      if (!fetched.contains(i) && !waits) {
        ready.add(i);
      }
    }
    for (int i : ready) {
      Fetch fetch = plan.fetches().get(i);
      for (ShardId shard : fetch.shards(text, execution.parameters())) {
        BackendConnection backend = backends.get(shard);
        if (backend == null) {
          throw ErrorCode.INTERNAL.because("a fetch has no backend");
        }
        running.add(new Part(backend, fetch, gathered.get(i), () -> fetched(finisher, query)));
      }
    }
    fetched.addAll(ready);
    if (running.isEmpty()) {
      fetched(finisher, query);
      return;
    }
    List.copyOf(running).forEach(part -> part.send(query.types()));
  }

  private void fetched(BackendConnection finisher, DescribedStatement query) {
    if (!running.isEmpty()) {
      return;
    }
    if (failure != null) {
      execution.fail(failure);
    } else if (fetched.size() < plan.fetches().size()) {
      next(finisher, query);
    } else {
      finish(finisher, query);
    }
  }

  /** The number of the first parameter behind the client's own. */
  private int behind(ParameterTypes types) {
    return Math.max(execution.wireParameters().count(), types.count()) + 1;
  }

  private void fail(ErrorFields fields) {
    if (failure == null) {
      failure = fields;
      running.stream().map(part -> part.backend).distinct().forEach(BackendConnection::cancel);
    }
  }

  private void hold(List<byte @Nullable []> row) {
    for (byte[] value : row) {
      held += Integer.BYTES + (value == null ? 0 : value.length);
    }
    if (held > HELD_MOST) {
      throw ErrorCode.QUERY_TOO_LARGE.because(
          "more than %d MiB of rows would have to be gathered from the shards"
              .formatted(HELD_MOST >> 20));
    }
  }

  /** One fetch on one shard. */
  private final class Part implements BackendListener {
    private final BackendConnection backend;
    private final Fetch fetch;
    private final GatheredRows into;
    private final Runnable ended;

    Part(BackendConnection backend, Fetch fetch, GatheredRows into, Runnable ended) {
      this.backend = backend;
      this.fetch = fetch;
      this.into = into;
      this.ended = ended;
    }

    void send(ParameterTypes types) {
      Parameters parameters = execution.wireParameters();
      String sql = fetch.sql().render(text);
      Optional<GatheredColumn> keys =
          fetch.keys().map(k -> gathered.get(k.fetch()).column(k.column()));
      Optional<byte[]> values = keys.flatMap(GatheredColumn::distinct);
      if (values.isPresent()) {
        String type = keys.orElseThrow().type().name();
        sql = fetch.sqlWithKeys(text, "$%d::%s[]".formatted(behind(types), type));
        parameters = parameters.and(List.of(values.get()), List.of(true));
      }
      backend.send(
          new BackendRequest.Extended(
              sql, false, types, parameters.withResultFormats(into.formats()), "", true, 0),
          this);
    }

    /** What this shard calls by the columns' names must be what the finishing shard does. */
    @Override
    public void rowDescription(Frame frame) {
      into.differing(RowDescription.read(frame))
          .ifPresent(
              column ->
                  fail(
                      ErrorFields.of(
                          ErrorCode.SCATTER_SHARDS_DIFFER.because(
                              "shard %s differs from others in the type of column %s of %s"
                                  .formatted(backend.shard(), column, fetch.table())))));
    }

    @Override
    public void rows(Frame rows) {
      if (failure != null) {
        return;
      }
      try {
        for (List<byte @Nullable []> row : DataRows.values(rows)) {
          hold(row);
          into.add(row);
        }
      } catch (ConcordException e) {
        fail(Failures.fields(e));
      }
    }

    @Override
    public void notice(Frame frame) {
      execution.sink().notice(frame);
    }

    @Override
    public void error(Frame frame) {
      fail(withoutPosition(ErrorFields.read(frame)));
    }

    @Override
    public void ready(TransactionStatus status) {
      running.remove(this);
      ended.run();
    }

    @Override
    public void lost(ConcordException cause) {
      fail(Failures.fields(cause));
      running.remove(this);
      ended.run();
    }
  }

  /** Places in the router's own text mean nothing to a client. */
  static ErrorFields withoutPosition(ErrorFields fields) {
    Map<Character, String> kept = new LinkedHashMap<>(fields.fields());
    kept.remove('P');
    return new ErrorFields(kept);
  }

  // --- the end ---------------------------------------------------------------------------------

  private void finish(BackendConnection finisher, DescribedStatement query) {
    List<SqlReplacement> replacements = new ArrayList<>();
    List<byte[]> values = new ArrayList<>();
    List<Boolean> binary = new ArrayList<>();
    int first = behind(query.types());
    for (GatheredRows rows : gathered) {
      replacements.add(rows.replacement(first + values.size(), values, binary));
      replacements.addAll(rows.fetch().edits());
    }
    try {
      replacements.addAll(plan.finish().replacements(this::typeOf));
    } catch (ConcordException e) {
      execution.fail(e);
      return;
    }
    String sql = SqlReplacement.apply(text, replacements);
    Parameters parameters = execution.wireParameters().and(values, binary);
    if (opening != null) {
      ShardPortal portal = new ShardPortal(finisher, execution.session().portals().name());
      portal.open(
          sql,
          query.types(),
          parameters.withResultFormats(),
          new Opened(portal, query.rows(), opening));
      return;
    }
    finisher.send(
        execution.last(sql, query.types(), parameters, finisher), new LastAnswer(query.rows()));
  }

  private int typeOf(String column) {
    return gathered.stream().mapToInt(rows -> rows.typeOf(column)).max().orElse(0);
  }

  /** The finished query's portal, which is read later. */
  private final class Opened implements ShardPortal.Listener {
    private final ShardPortal portal;
    private final RowDescription promised;
    private final Consumer<RowStream> then;
    private Optional<String> differs = Optional.empty();

    Opened(ShardPortal portal, RowDescription promised, Consumer<RowStream> then) {
      this.portal = portal;
      this.promised = promised;
      this.then = then;
    }

    @Override
    public void described(Frame description) {
      differs = differing(promised, RowDescription.read(description));
    }

    @Override
    public void notice(Frame frame) {
      execution.sink().notice(frame);
    }

    @Override
    public void answered(@Nullable ErrorFields fields) {
      if (fields != null) {
        execution.fail(withoutPosition(fields));
      } else if (differs.isPresent()) {
        execution.fail(meansElse(differs.get()));
      } else {
        then.accept(new Concatenation(execution.tx(), List.of(portal), promised));
      }
    }
  }

  private static ConcordException meansElse(String column) {
    return ErrorCode.QUERY_NEEDS_MERGE.because(
        "column \"%s\" of the answer means something else over gathered rows".formatted(column));
  }

  /** The first column that is not of the type that was promised. */
  private static Optional<String> differing(RowDescription promised, RowDescription found) {
    for (int i = 0; i < promised.fields().size(); i++) {
      RowDescription.Field field = promised.fields().get(i);
      if (i >= found.fields().size() || found.fields().get(i).typeOid() != field.typeOid()) {
        return Optional.of(field.name());
      }
    }
    return found.fields().size() == promised.fields().size()
        ? Optional.empty()
        : Optional.of(found.fields().get(promised.fields().size()).name());
  }

  /** The finished query's answer, under the description of the client's own. */
  private final class LastAnswer extends PassThrough {
    private final RowDescription promised;
    private Optional<String> differs = Optional.empty();

    LastAnswer(RowDescription promised) {
      super(Gather.this.execution, false);
      this.promised = promised;
    }

    @Override
    public void rowDescription(Frame frame) {
      RowDescription found = RowDescription.read(frame);
      differs = differing(promised, found);
      if (differs.isEmpty() && (execution().describes() || execution().assumed().isPresent())) {
        super.rowDescription(inFormats().toFrame());
      }
    }

    private RowDescription inFormats() {
      Parameters asked = execution().wireParameters();
      List<RowDescription.Field> fields = new ArrayList<>();
      for (RowDescription.Field field : promised.fields()) {
        fields.add(field.withFormat(asked.resultFormat(fields.size())));
      }
      return new RowDescription(fields);
    }

    @Override
    public void rows(Frame rows) {
      if (differs.isEmpty()) {
        super.rows(rows);
      }
    }

    @Override
    public void complete(Frame frame) {
      if (differs.isPresent()) {
        refuse();
      } else {
        super.complete(frame);
      }
    }

    @Override
    public void suspended() {
      if (differs.isPresent()) {
        refuse();
      } else {
        super.suspended();
      }
    }

    private void refuse() {
      failed(ErrorFields.of(meansElse(differs.orElse(""))));
    }

    @Override
    public void error(Frame frame) {
      failed(withoutPosition(ErrorFields.read(frame)));
    }
  }
}
