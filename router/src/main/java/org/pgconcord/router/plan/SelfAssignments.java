package org.pgconcord.router.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.pgconcord.config.schema.Column;
import org.pgconcord.router.analyse.DeclaredTable;
import org.pgconcord.router.sql.Clauses;
import org.pgconcord.router.sql.ConflictView;
import org.pgconcord.router.sql.Names;
import org.pgconcord.router.sql.StatementView;
import org.pgconcord.router.sql.Tokens;

/**
 * Columns that a statement sets to what they are: the row keeps what it has, whatever the column
 * means to routing.
 *
 * <p>In UPDATE that is {@code SET k = k} and nothing around it. A name that FROM knows as well
 * PostgreSQL calls ambiguous, and words that are values, as {@code current_user}, are no columns
 * without quotes.
 *
 * <p>In DO UPDATE it is {@code SET k = EXCLUDED.k} where k is among the columns whose equality made
 * the conflict, as mappers write it that set every column (Sequelize, TypeORM). Equal must mean the
 * same value then: 1.0 and 1.00 are equal, and an entry would keep the one.
 */
final class SelfAssignments {
  private static final Set<String> EXACT =
      Set.of(
          "bigint",
          "boolean",
          "bytea",
          "date",
          "integer",
          "smallint",
          "text",
          "timestamp with time zone",
          "timestamp without time zone",
          "uuid");

  private SelfAssignments() {}

  /** The statement as it changes rows. */
  static StatementView.Update without(PlanInput input, StatementView.Update update) {
    int set = input.clauses().topLevelSet().orElse(input.tokens().size());
    List<String> same = columns(input, set + 1, "");
    List<String> changed = update.assigned().stream().filter(c -> !same.contains(c)).toList();
    return new StatementView.Update(update.target(), changed, update.scope(), update.from());
  }

  /** The statement as it changes the rows that are in the way. */
  static StatementView.Insert without(
      PlanInput input, DeclaredTable table, StatementView.Insert insert) {
    Optional<ConflictView> conflict = insert.conflict().filter(ConflictView::updates);
    if (conflict.isEmpty() || conflict.get().target() != ConflictView.Target.COLUMNS) {
      return insert;
    }
    ConflictView view = conflict.get();
    List<String> same = columns(input, view.action() + 3, "excluded");
    List<String> changed =
        view.assigned().stream()
            .filter(c -> !(same.contains(c) && view.columns().contains(c) && exact(table, c)))
            .toList();
    return insert.withConflict(view.withAssigned(changed));
  }

  private static boolean exact(DeclaredTable table, String column) {
    return table
        .schema()
        .flatMap(schema -> schema.column(column))
        .filter(c -> c.deterministic() && (EXACT.contains(c.type()) || varying(c)))
        .isPresent();
  }

  private static boolean varying(Column column) {
    return column.type().startsWith("character varying");
  }

  /** Those of a SET list that begins here which are set to the relation's column of their name. */
  private static List<String> columns(PlanInput input, int from, String relation) {
    Tokens tokens = input.tokens();
    Clauses clauses = input.clauses();
    List<String> columns = new ArrayList<>();
    int end = from < tokens.size() ? clauses.topLevel(from, "from", "where", "returning") : from;
    if (from >= end) {
      return columns;
    }
    for (Clauses.Range item : clauses.items(new Clauses.Range(from, end))) {
      int at = item.from();
      if (tokens.kind(at).isName()
          && tokens.isSymbol(at + 1, "=")
          && isColumn(tokens, at, new Clauses.Range(at + 2, item.to()), relation)) {
        columns.add(Names.of(tokens, at));
      }
    }
    return columns;
  }

  private static boolean isColumn(Tokens tokens, int column, Clauses.Range value, String relation) {
    int last = value.to() - 1;
    if (relation.isEmpty()) {
      return last == value.from() && tokens.text(column).equals(tokens.text(last));
    }
    return last == value.from() + 2
        && tokens.isWord(value.from(), relation)
        && tokens.isSymbol(value.from() + 1, ".")
        && tokens.kind(last).isName()
        && Names.of(tokens, column).equals(Names.of(tokens, last));
  }
}
