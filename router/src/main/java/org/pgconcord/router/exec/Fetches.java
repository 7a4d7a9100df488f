package org.pgconcord.router.exec;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
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
 * The fetches of a gathered query: each to the shards where its rows are, those that wait for
 * another's keys after it. Where an index has named the shards, rows that may have moved meanwhile
 * are looked for again ({@link FetchPlaces}).
 */
final class Fetches {
  /** How often rows that keep moving are followed, before all shards are asked for them. */
  private static final int ROUNDS_MOST = 5;

  private final Execution execution;
  private final Plan.Gather plan;
  private final StatementText text;
  private final List<GatheredRows> gathered = new ArrayList<>();
  private final Map<ShardId, BackendConnection> backends = new LinkedHashMap<>();
  private final List<Part> running = new ArrayList<>();

  /** Where each fetch looks for its rows. */
  private final List<FetchPlaces.Place> places = new ArrayList<>();

  /** The numbers of the fetches that have been started. */
  private final Set<Integer> fetched = new HashSet<>();

  private @Nullable ErrorFields failure;
  private int rounds;

  Fetches(Execution execution, Plan.Gather plan) {
    this.execution = execution;
    this.plan = plan;
    this.text = execution.planned().text();
  }

  /** Looks for places. One fetch after the other: a lookup that fails ends the statement. */
  CompletableFuture<Void> find() {
    CompletableFuture<Void> all = CompletableFuture.completedFuture(null);
    for (Fetch fetch : plan.fetches()) {
      all = all.thenCompose(before -> FetchPlaces.find(execution, fetch)).thenAccept(places::add);
    }
    return all;
  }

  /** An index has named the shards of one. */
  boolean led() {
    return places.stream().anyMatch(FetchPlaces.Place::led);
  }

  /** Of what was fetched and what will be, but for what waits to hear of its shards. */
  void requireFanOut() {
    List<Integer> known =
        IntStream.range(0, plan.fetches().size())
            .filter(i -> fetched.contains(i) || !isRouted(plan.fetches().get(i)))
            .boxed()
            .toList();
    boolean named =
        known.stream()
            .allMatch(i -> plan.fetches().get(i).binding().isPresent() || places.get(i).led());
    execution.requireFanOut(
        named ? FanOut.MULTI : FanOut.SCATTER,
        () -> known.stream().flatMap(i -> places.get(i).shards().stream()).toList());
  }

  /** Its keys say on which shards it is. */
  private static boolean isRouted(Fetch fetch) {
    return fetch.keys().flatMap(Fetch.Keys::route).isPresent();
  }

  /** Calls {@code then} when all rows have come; ends the statement where that fails. */
  void run(BackendConnection finisher, DescribedStatement query, Runnable then) {
    CompletableFuture<Void> all = CompletableFuture.completedFuture(null);
    for (Fetch fetch : plan.fetches()) {
      all =
          all.thenCompose(
                  before -> DescribedStatement.ask(finisher, fetch.sql(text), query.types()))
              .thenAccept(d -> gathered.add(new GatheredRows(fetch, d.rows())));
    }
    execution.then(all, described -> fetch(query, then));
  }

  private CompletableFuture<Void> acquire(List<Integer> fetches) {
    CompletableFuture<Void> all = CompletableFuture.completedFuture(null);
    for (ShardId shard :
        fetches.stream().flatMap(i -> places.get(i).shards().stream()).distinct().toList()) {
      all =
          all.thenCompose(done -> execution.tx().backend(shard))
              .thenAccept(backend -> backends.put(shard, backend));
    }
    return all;
  }

  private void fetch(DescribedStatement query, Runnable then) {
    for (Fetch fetch : plan.fetches()) {
      fetch.keys().ifPresent(k -> gathered.get(k.fetch()).column(k.column()).keep(Fetch.MOST_KEYS));
    }
    next(query, then);
  }

  /** Starts the fetches whose keys, if they wait for any, have come. */
  private void next(DescribedStatement query, Runnable then) {
    List<Integer> ready = new ArrayList<>();
    for (int i = 0; i < plan.fetches().size(); i++) {
      boolean waits =
          plan.fetches().get(i).keys().filter(keys -> !fetched.contains(keys.fetch())).isPresent();
      if (!fetched.contains(i) && !waits) {
        ready.add(i);
      }
    }
    fetched.addAll(ready);
    ready.forEach(this::byKeys);
    start(ready, query, () -> fetched(ready, query, then));
  }

  /** To the shards of its keys, where they lead to any. */
  private void byKeys(int fetch) {
    usable(plan.fetches().get(fetch))
        .filter(keys -> keys.route().isPresent())
        .ifPresent(
            keys ->
                gathered
                    .get(keys.fetch())
                    .column(keys.column())
                    .distinctTexts()
                    .ifPresent(
                        values ->
                            places.set(
                                fetch, places.get(fetch).on(keys.route().orElseThrow(), values))));
  }

  private Optional<Fetch.Keys> usable(Fetch fetch) {
    return fetch.keys().filter(keys -> !keys.lone() || gathered.get(keys.fetch()).count() <= 1);
  }

  private void start(List<Integer> ready, DescribedStatement query, Runnable ended) {
    requireFanOut();
    execution.then(acquire(ready), acquired -> send(ready, query, ended));
  }

  private void send(List<Integer> ready, DescribedStatement query, Runnable ended) {
    for (int i : ready) {
      Fetch fetch = plan.fetches().get(i);
      for (ShardId shard : places.get(i).shards()) {
        BackendConnection backend = backends.get(shard);
        if (backend == null) {
          throw ErrorCode.INTERNAL.because("a fetch has no backend");
        }
        running.add(new Part(backend, fetch, gathered.get(i), places.get(i).conditions(), ended));
      }
    }
    if (running.isEmpty()) {
      ended.run();
      return;
    }
    List.copyOf(running).forEach(part -> part.send(query.types()));
  }

  /** What has been fetched through an index and may be short is looked for a second time. */
  private void fetched(List<Integer> those, DescribedStatement query, Runnable then) {
    if (!running.isEmpty()) {
      return;
    }
    if (failure != null) {
      execution.fail(failure);
      return;
    }
    CompletableFuture<Void> all = CompletableFuture.completedFuture(null);
    List<Integer> moved = new ArrayList<>();
    for (int i : those) {
      if (gathered.get(i).count() < places.get(i).enough()) {
        all =
            all.thenCompose(before -> places.get(i).moved().get())
                .thenAccept(has -> moved.addAll(has ? List.of(i) : List.of()));
      }
    }
    execution.then(all, looked -> again(moved, query, then));
  }

  /** Rows have moved: they are looked for anew, where the index says now. */
  private void again(List<Integer> moved, DescribedStatement query, Runnable then) {
    if (moved.isEmpty()) {
      complete(query, then);
      return;
    }
    rounds++;
    CompletableFuture<Void> all = CompletableFuture.completedFuture(null);
    for (int i : moved) {
      gathered.set(i, gathered.get(i).emptied());
      all =
          all.thenCompose(before -> place(plan.fetches().get(i)))
              .thenAccept(place -> places.set(i, place));
    }
    execution.then(all, found -> start(moved, query, () -> fetched(moved, query, then)));
  }

  private CompletableFuture<FetchPlaces.Place> place(Fetch fetch) {
    return rounds < ROUNDS_MOST
        ? FetchPlaces.find(execution, fetch)
        : CompletableFuture.completedFuture(FetchPlaces.everywhere(execution, fetch));
  }

  private void complete(DescribedStatement query, Runnable then) {
    if (fetched.size() < plan.fetches().size()) {
      next(query, then);
    } else {
      then.run();
    }
  }

  /** The number of the first parameter behind the client's own. */
  int behind(ParameterTypes types) {
    return Math.max(execution.wireParameters().count(), types.count()) + 1;
  }

  private void fail(ErrorFields fields) {
    if (failure == null) {
      failure = fields;
      running.stream().map(part -> part.backend).distinct().forEach(BackendConnection::cancel);
    }
  }

  private void requireRoom() {
    if (gathered.stream().mapToLong(GatheredRows::bytes).sum() > Gather.HELD_MOST) {
      throw ErrorCode.QUERY_TOO_LARGE.because(
          "more than %d MiB of rows would have to be gathered from the shards"
              .formatted(Gather.HELD_MOST >> 20));
    }
  }

  /** What has come, one for each fetch. */
  List<GatheredRows> rows() {
    return gathered;
  }

  /** The type of a fetched column, by its quoted name. */
  int typeOf(String column) {
    return gathered.stream().mapToInt(rows -> rows.typeOf(column)).max().orElse(0);
  }

  /** One fetch on one shard. */
  private final class Part implements BackendListener {
    private final BackendConnection backend;
    private final Fetch fetch;
    private final GatheredRows into;
    private final List<String> conditions;
    private final Runnable ended;

    Part(
        BackendConnection backend,
        Fetch fetch,
        GatheredRows into,
        List<String> conditions,
        Runnable ended) {
      this.backend = backend;
      this.fetch = fetch;
      this.into = into;
      this.conditions = conditions;
      this.ended = ended;
    }

    void send(ParameterTypes types) {
      Parameters parameters = execution.wireParameters();
      List<String> more = new ArrayList<>(conditions);
      Optional<GatheredColumn> keys =
          usable(fetch).map(k -> gathered.get(k.fetch()).column(k.column()));
      Optional<byte[]> values = keys.flatMap(GatheredColumn::distinct);
      if (values.isPresent()) {
        String type = keys.orElseThrow().type().name();
        more.add(fetch.keyCondition("$%d::%s[]".formatted(behind(types), type)));
        parameters = parameters.and(List.of(values.get()), List.of(true));
      }
      backend.send(
          new BackendRequest.Extended(
              fetch.sql(text, more),
              false,
              types,
              parameters.withResultFormats(into.formats()),
              "",
              true,
              0),
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
          into.add(row);
          requireRoom();
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
      fail(Gather.withoutPosition(ErrorFields.read(frame)));
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
}
