package org.pgconcord.router.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.analyse.DeclaredTable;
import org.pgconcord.router.sql.ConflictView;
import org.pgconcord.router.sql.Lexer;
import org.pgconcord.router.sql.QueryView;
import org.pgconcord.router.sql.StatementText;
import org.pgconcord.router.sql.StatementView;

/**
 * Plans INSERT ... SELECT whose rows cannot be made where they belong: the SELECT is answered as a
 * query by itself, and its rows are stored by their values (docs/decisions/0013).
 */
final class GatheredInserts {
  private final PlanInput input;
  private final StatementView.Insert insert;
  private final DeclaredTable table;
  private final DeclaredTable.ShardKey key;

  GatheredInserts(
      PlanInput input,
      StatementView.Insert insert,
      DeclaredTable table,
      DeclaredTable.ShardKey key) {
    this.input = input;
    this.insert = insert;
    this.table = table;
    this.key = key;
  }

  /**
   * The plan.
   *
   * @param columns the INSERT's columns
   * @param byEntries entries decide of the rows' conflicts
   * @param instead why the rows cannot be made where they belong; what is thrown when there is no
   *     other way either
   */
  Plan plan(
      StatementFacts statement,
      List<String> columns,
      Optional<EntryWork> entries,
      boolean byEntries,
      ConcordException instead) {
    boolean possible =
        switch (instead.code()) {
          case WRITE_NO_SHARD_KEY, WRITE_NULL_KEY -> false;
          default -> true;
        };
    // Of two rows in one statement that would update one row, batches might not see both.
    boolean anew = byEntries || insert.conflict().filter(ConflictView::updates).isPresent();
    Optional<InsertText> text =
        possible
            ? InsertText.of(input.tokens(), input.clauses())
                .filter(t -> !anew || t.readsNothingBehind(input.tokens()))
            : Optional.empty();
    if (text.isEmpty()) {
      throw instead;
    }
    String sql = text.get().query(input.text());
    Plan select = StatementPlanner.query(new StatementText(sql, Lexer.scan(sql)), input.context());
    if (select.facts().mayWrite()) {
      throw instead;
    }
    List<ShardId> shards = new ArrayList<>(shards(select));
    shards.retainAll(key.placement().group().shards());
    if (shards.isEmpty() && select instanceof Plan.Authoritative && NamelessQuery.is(source())) {
      shards.addAll(key.placement().group().shards());
    }
    if (shards.isEmpty()) {
      throw instead;
    }
    List<NumberedColumn> numbered = NumberRules.leftOut(input, table, insert);
    List<String> stored = new ArrayList<>(columns);
    numbered.stream()
        .map(NumberedColumn::name)
        .filter(c -> !columns.contains(c))
        .forEach(stored::add);
    return new Plan.InsertGathered(
        withTables(statement, select.facts()),
        new StoredKey(table.name(), key, places(stored)),
        text.get(),
        columns,
        select,
        shards.get(0),
        entries,
        input.clauses().topLevelReturning().isPresent(),
        numbered,
        anew ? Optional.of(input.context()) : Optional.empty());
  }

  /** The query, behind the CTEs in front of the statement. */
  private QueryView source() {
    QueryView query = insert.query().orElseThrow();
    return query.within(insert.scope().with(), insert.scope().recursive());
  }

  private List<Integer> places(List<String> columns) {
    List<Integer> places = new ArrayList<>();
    for (var column : key.columns()) {
      int place = columns.indexOf(column.name());
      if (place < 0) {
        throw ErrorCode.WRITE_NO_SHARD_KEY.because(
            "the INSERT gives no value for shard-key column \"%s\" of table %s"
                .formatted(column.name(), table.name()));
      }
      places.add(place);
    }
    return places;
  }

  private static StatementFacts withTables(StatementFacts statement, StatementFacts read) {
    List<org.pgconcord.config.value.TableName> tables = new ArrayList<>(statement.tables());
    read.tables().stream().filter(t -> !tables.contains(t)).forEach(tables::add);
    return new StatementFacts(
        statement.command(), true, tables, statement.why(), statement.stale());
  }

  /** Shards that have everything which the query names, as far as its plan tells. */
  static List<ShardId> shards(Plan select) {
    if (select instanceof Plan.Refused refused) {
      throw refused.toException();
    } else if (select instanceof Plan.OneShard one) {
      return List.of(one.binding().anyShard());
    } else if (select instanceof Plan.GsiRead read) {
      return shards(read.otherwise());
    } else if (select instanceof Plan.AnyCopy any) {
      return any.shards();
    } else if (select instanceof Plan.Scatter scatter) {
      return scatter.group().shards();
    } else if (select instanceof Plan.Sorted sorted) {
      return sorted.rows().group().shards();
    } else if (select instanceof FirstLocked locked) {
      return locked.rows().group().shards();
    } else if (select instanceof Plan.Gather gather) {
      return gather.finishers();
    } else if (select instanceof Plan.Unsharded one) {
      return List.of(one.shard());
    } else if (select instanceof Plan.Authoritative one) {
      return List.of(one.shard());
    }
    return List.of();
  }
}
