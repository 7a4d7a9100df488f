package org.pgconcord.router.exec;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.gsi.LookupIndex;
import org.pgconcord.router.backend.BackendConnection;
import org.pgconcord.router.backend.BackendRequest;
import org.pgconcord.router.backend.QueryResult;
import org.pgconcord.router.entries.ReturnedRows;
import org.pgconcord.router.plan.ConflictRows;
import org.pgconcord.router.plan.CteWrite;
import org.pgconcord.router.plan.RowsToChange;
import org.pgconcord.router.sql.StatementText;

/**
 * The rows of one part of a statement with WITH, before and behind the statement (decision 0019).
 *
 * <p>What holds, or the statement fails: each row that an UPDATE locked is there behind it under
 * its primary key; each row that an INSERT names is there, where none was before; of an INSERT with
 * ON CONFLICT as many are there as the table got. A row that a trigger gave another primary key is
 * not, and nobody could say where it is. A row that a DELETE locked may be there still, kept by a
 * trigger or changed by another part.
 */
final class CteRows {
  private final CteWrite plan;
  private final StatementText text;
  private final BackendConnection main;
  private final List<LookupIndex> indexes;
  private final Optional<LockedRows> locked;
  private final Set<ConflictRows.Place> inTheWay = new HashSet<>();

  /** Their primary keys. */
  private final Set<List<@Nullable String>> keysInTheWay = new HashSet<>();

  private long storedBefore;

  CteRows(CteWrite plan, StatementText text, BackendConnection main, List<LookupIndex> indexes) {
    this.plan = plan;
    this.text = text;
    this.main = main;
    this.indexes = indexes;
    this.locked =
        plan.old()
            .<RowsToChange>map(old -> old)
            .or(plan::met)
            .map(rows -> new LockedRows(rows, text, main));
  }

  CteWrite plan() {
    return plan;
  }

  /** How many rows it may change. */
  int size() {
    return locked.map(LockedRows::size).orElseGet(() -> plan.inserted().size());
  }

  /** True for the locked rows and no others. */
  String condition() {
    return locked.map(LockedRows::condition).orElse("false");
  }

  /**
   * Locks the rows, or looks for those that are in the way.
   *
   * @param request of a query with the call's values
   */
  CompletableFuture<Void> before(Function<String, BackendRequest> request) {
    return main.query(request.apply(plan.before(text)))
        .thenAccept(
            result -> {
              locked.ifPresent(rows -> rows.add(result));
              inTheWay(result);
            })
        .thenCompose(done -> plan.conflicts() ? stored() : CompletableFuture.completedFuture(0L))
        .thenAccept(count -> storedBefore = count);
  }

  private void inTheWay(QueryResult result) {
    if (plan.old().isPresent()) {
      return;
    }
    inTheWay.addAll(places(result));
    result.rows().forEach(row -> keysInTheWay.add(key(row)));
  }

  private List<@Nullable String> key(List<@Nullable String> row) {
    return plan.key(row.subList(RowsToChange.PLACE, row.size()));
  }

  private CompletableFuture<Long> stored() {
    return main.query(plan.stored(), List.of())
        .thenApply(result -> Long.valueOf(String.valueOf(result.rows().get(0).get(0))));
  }

  List<ReturnedRows.Found> entriesBefore(ShardId shard) {
    return locked.map(rows -> rows.entries(shard, indexes, plan.work())).orElse(List.of());
  }

  // --- behind the statement --------------------------------------------------------------------

  /** The rows of all parts as they are behind the statement, each once. */
  static final class Now {
    private final ShardId shard;
    private final Set<ConflictRows.Place> places = new LinkedHashSet<>();
    private final Set<ConflictRows.Place> updated = new HashSet<>();
    private final Set<ConflictRows.Place> inserted = new HashSet<>();
    private final Set<ReturnedRows.Found> found = new LinkedHashSet<>();

    Now(ShardId shard) {
      this.shard = shard;
    }

    List<ReturnedRows.Found> found() {
      return List.copyOf(found);
    }
  }

  /** Reads the rows again. */
  CompletableFuture<Void> after(Function<String, BackendRequest> request, Now now) {
    return switch (plan.kind()) {
      case INSERT ->
          main.query(request.apply(plan.withKeysInserted(text)))
              .thenCompose(result -> plan.conflicts() ? letIn(result, now) : inserted(result, now))
              .thenCompose(done -> plan.met().isPresent() ? byKeys() : nothing())
              .thenAccept(result -> kept(result, now));
      case UPDATE -> byKeys().thenAccept(result -> updated(result, now));
      case DELETE ->
          atPlaces()
              .thenAccept(result -> add(result, now))
              .thenCompose(done -> byKeys())
              .thenAccept(result -> add(result, now));
    };
  }

  private CompletableFuture<QueryResult> byKeys() {
    List<List<@Nullable String>> keys = new ArrayList<>();
    for (List<@Nullable String> row : locked.map(LockedRows::images).orElse(List.of())) {
      keys.add(plan.key(row));
    }
    return keys.isEmpty() ? nothing() : main.query(plan.withKeys(keys), List.of());
  }

  /** Text of a key that does not read as the same key again cannot hide a row that was kept. */
  private CompletableFuture<QueryResult> atPlaces() {
    return size() == 0
        ? nothing()
        : main.query(
            plan.old().orElseThrow().left(text, condition(), ", " + plan.columns()), List.of());
  }

  private static CompletableFuture<QueryResult> nothing() {
    return CompletableFuture.completedFuture(new QueryResult(List.of(), ""));
  }

  /**
   * Rows with ON CONFLICT: those with keys that nobody had before. One may have come from another
   * transaction in between; it has its entries, and claiming them again changes nothing. There must
   * be as many as the table got, or some are nobody knows where.
   */
  private CompletableFuture<Void> letIn(QueryResult result, Now now) {
    QueryResult fresh =
        new QueryResult(
            result.rows().stream().filter(row -> !keysInTheWay.contains(key(row))).toList(), "");
    return stored()
        .thenAccept(
            count -> {
              if (fresh.rows().size() < count - storedBefore) {
                throw unknown("inserts");
              }
              add(fresh, now);
              now.inserted.addAll(places(fresh));
            });
  }

  /** Rows in the way that may have been updated: all are there still. */
  private void kept(QueryResult result, Now now) {
    if (plan.met().isPresent()) {
      if (result.rows().size() != keysInTheWay.size()) {
        throw unknown("updates");
      }
      add(result, now);
    }
  }

  private CompletableFuture<Void> inserted(QueryResult result, Now now) {
    Set<ConflictRows.Place> places = places(result);
    boolean known =
        places.size() == plan.inserted().size()
            && places.stream().noneMatch(inTheWay::contains)
            && places.stream().noneMatch(now.updated::contains);
    if (!known) {
      throw unknown("inserts");
    }
    add(result, now);
    now.inserted.addAll(places);
    return CompletableFuture.completedFuture(null);
  }

  private void updated(QueryResult result, Now now) {
    Set<ConflictRows.Place> places = places(result);
    if (places.size() != size() || places.stream().anyMatch(now.inserted::contains)) {
      throw unknown("updates");
    }
    add(result, now);
    now.updated.addAll(places);
  }

  private static Set<ConflictRows.Place> places(QueryResult result) {
    return result.rows().stream().map(LockedRows::place).collect(Collectors.toSet());
  }

  private RuntimeException unknown(String does) {
    return ErrorCode.WRITE_CTE
        .because("rows that %s %s are not found by their primary keys".formatted(plan.name(), does))
        .withDetail(
            "A trigger may have kept them or given them other keys, or another part has deleted them.");
  }

  private void add(QueryResult result, Now now) {
    ReturnedRows rows = new ReturnedRows(now.shard, indexes, plan.work().columns());
    for (List<@Nullable String> row : result.rows()) {
      if (now.places.add(LockedRows.place(row))) {
        rows.add(row.subList(RowsToChange.PLACE, row.size()));
      }
    }
    now.found.addAll(rows.found());
  }
}
