package org.pgconcord.router.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.pgconcord.config.schema.Column;
import org.pgconcord.config.topology.Gsi;
import org.pgconcord.config.value.Identifiers;
import org.pgconcord.router.analyse.DeclaredTable;
import org.pgconcord.router.sql.Clauses;
import org.pgconcord.router.sql.ConflictView;
import org.pgconcord.router.sql.StatementView;
import org.pgconcord.router.sql.StatementView.ValueView;

/**
 * Finds in an INSERT ... ON CONFLICT DO UPDATE what is needed to look for the rows in the way: by
 * constants of types whose names mean the same in every session. Where that is not told nothing is
 * lost but a round trip: such rows are met by the statement, and found by its guard.
 */
final class MetRows {
  private final PlanInput input;
  private final StatementView.Insert insert;
  private final DeclaredTable table;
  private final InsertRules rules;

  MetRows(PlanInput input, StatementView.Insert insert, DeclaredTable table, InsertRules rules) {
    this.input = input;
    this.insert = insert;
    this.table = table;
    this.rules = rules;
  }

  ConflictRows of(
      RowSplit rows, EntryWork entries, List<Gsi> maintained, Optional<TakenKeys> taken) {
    ConflictView conflict = insert.conflict().orElseThrow();
    String alias = insert.target().alias();
    List<ConflictRows.Key> keys =
        rules.conflict().flatMap(c -> c.arbiter(taken)).map(this::keys).orElse(List.of());
    Clauses clauses = input.clauses();
    int end = clauses.topLevel(conflict.action(), "returning");
    int where = clauses.topLevel(conflict.action(), "where", "returning");
    return new ConflictRows(
        insert.target().name().stream().map(Identifiers::quote).collect(Collectors.joining("."))
            + " AS "
            + Identifiers.quote(alias),
        alias,
        EntryColumns.images(alias, table, entries),
        keys,
        values(rows, keys),
        where < end ? Optional.of(new Clauses.Range(where + 1, end)) : Optional.empty(),
        end,
        EntryColumns.fixed(maintained, conflict.assigned()));
  }

  /** None unless all columns are known. */
  private List<ConflictRows.Key> keys(List<String> columns) {
    List<ConflictRows.Key> keys = new ArrayList<>();
    for (String name : columns) {
      Optional<Column> column =
          table
              .schema()
              .flatMap(s -> s.column(name))
              .filter(c -> c.keyType().isPresent() && !c.generated());
      if (column.isEmpty()) {
        return List.of();
      }
      keys.add(new ConflictRows.Key(name, column.get().base().type()));
    }
    return keys;
  }

  private List<List<Clauses.Range>> values(RowSplit rows, List<ConflictRows.Key> keys) {
    List<List<Clauses.Range>> values = new ArrayList<>();
    for (int row = 0; row < rows.rows().size(); row++) {
      RowSplit.Row one = rows.rows().get(row);
      values.add(
          values(
              input.clauses().items(new Clauses.Range(one.from() + 1, one.to())),
              insert.rows().get(row),
              keys));
    }
    return values;
  }

  private List<Clauses.Range> values(
      List<Clauses.Range> items, List<ValueView> row, List<ConflictRows.Key> keys) {
    List<Clauses.Range> values = new ArrayList<>();
    for (ConflictRows.Key key : keys) {
      int at = rules.columns().indexOf(key.column());
      boolean constant =
          items.size() == row.size()
              && at >= 0
              && at < row.size()
              && row.get(at) instanceof ValueView.Constant;
      if (!constant) {
        return List.of();
      }
      values.add(items.get(at));
    }
    return values;
  }
}
