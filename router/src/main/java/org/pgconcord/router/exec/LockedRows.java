package org.pgconcord.router.exec;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.gsi.LookupIndex;
import org.pgconcord.router.backend.BackendConnection;
import org.pgconcord.router.backend.QueryResult;
import org.pgconcord.router.entries.ReturnedRows;
import org.pgconcord.router.plan.ConflictRows;
import org.pgconcord.router.plan.EntryWork;
import org.pgconcord.router.plan.RowsToChange;
import org.pgconcord.router.sql.StatementText;

/**
 * The rows of one shard that a statement is about to change: locked, and as they are before it.
 * This is how the entries before and after one statement are of exactly the same rows on every
 * supported version (decision 0012): who holds the lock names these rows, by {@link #condition}, in
 * the statement that changes them, and asks {@link #before} for their old entries afterwards.
 *
 * <p>A ctid names a row as long as the lock is held: nobody else can give it another version, and
 * no other row can get the place of a live one. The transaction itself must not touch the rows
 * between lock and change.
 */
final class LockedRows {
  private final Map<ConflictRows.Place, List<@Nullable String>> images = new LinkedHashMap<>();
  private final RowsToChange old;
  private final StatementText text;
  private final BackendConnection main;

  LockedRows(RowsToChange old, StatementText text, BackendConnection main) {
    this.old = old;
    this.text = text;
    this.main = main;
  }

  /**
   * Rows that have just been locked; some may have been before.
   *
   * @param result their places, and the columns of their entries
   */
  void add(QueryResult result) {
    for (List<@Nullable String> row : result.rows()) {
      images.put(place(row), row.subList(RowsToChange.PLACE, row.size()));
    }
  }

  static ConflictRows.Place place(List<@Nullable String> row) {
    return new ConflictRows.Place(String.valueOf(row.get(0)), String.valueOf(row.get(1)));
  }

  int size() {
    return images.size();
  }

  /** Their columns, as they are. */
  Collection<List<@Nullable String>> images() {
    return images.values();
  }

  /** True for these rows and no others. */
  String condition() {
    return condition(old, images.keySet());
  }

  /** True for the rows at these places and no others. */
  static String condition(RowsToChange target, Collection<ConflictRows.Place> places) {
    if (places.isEmpty()) {
      return "false";
    }
    Map<String, List<String>> byTable = new TreeMap<>();
    places.forEach(p -> byTable.computeIfAbsent(p.table(), t -> new ArrayList<>()).add(p.row()));
    return byTable.entrySet().stream()
        .map(e -> condition(target, e.getKey(), e.getValue()))
        .collect(Collectors.joining(" OR "));
  }

  private static String condition(RowsToChange target, String table, List<String> rows) {
    return "(%s OPERATOR(pg_catalog.=) %s AND %s OPERATOR(pg_catalog.=) ANY ('{%s}'::pg_catalog.tid[]))"
        .formatted(
            target.column("tableoid"),
            table,
            target.column("ctid"),
            rows.stream().map(r -> '"' + r + '"').collect(Collectors.joining(",")));
  }

  /**
   * The entries that the changed rows had.
   *
   * @param changed how many of the rows the statement has changed
   */
  CompletableFuture<List<ReturnedRows.Found>> before(
      ShardId shard, List<LookupIndex> indexes, EntryWork work, long changed) {
    if (changed == size()) {
      return CompletableFuture.completedFuture(entries(shard, indexes, work));
    } else if (changed > size()) {
      throw ErrorCode.INTERNAL.because("an UPDATE has changed other rows than those it named");
    }
    return main.query(old.left(text, condition()), List.of())
        .thenApply(
            left -> {
              left.rows().forEach(row -> images.remove(place(row)));
              if (changed != size()) {
                throw ErrorCode.INTERNAL.because("the rows that an UPDATE changed are not known");
              }
              return entries(shard, indexes, work);
            });
  }

  /** The entries of all of them, as they are. */
  List<ReturnedRows.Found> entries(ShardId shard, List<LookupIndex> indexes, EntryWork work) {
    ReturnedRows rows = new ReturnedRows(shard, indexes, work.columns());
    images.values().forEach(rows::addOld);
    return rows.found();
  }
}
