package org.pgconcord.router.plan;

import java.util.ArrayList;
import java.util.List;
import org.pgconcord.router.sql.Clauses;
import org.pgconcord.router.sql.Names;
import org.pgconcord.router.sql.StatementView;
import org.pgconcord.router.sql.Tokens;

/**
 * Columns that an UPDATE sets to themselves, {@code SET k = k} and nothing around it: the row keeps
 * what it has, whatever the column means to routing. A name that FROM knows as well PostgreSQL
 * calls ambiguous, and words that are values, as {@code current_user}, are no columns without
 * quotes.
 */
final class SelfAssignments {
  private SelfAssignments() {}

  /** The statement as it changes rows. */
  static StatementView.Update without(PlanInput input, StatementView.Update update) {
    List<String> same = columns(input.tokens(), input.clauses());
    List<String> changed = update.assigned().stream().filter(c -> !same.contains(c)).toList();
    return new StatementView.Update(update.target(), changed, update.scope(), update.from());
  }

  private static List<String> columns(Tokens tokens, Clauses clauses) {
    List<String> columns = new ArrayList<>();
    int set = clauses.topLevelSet().orElse(tokens.size());
    int end = clauses.topLevel(set + 1, "from", "where", "returning");
    if (set + 1 >= end) {
      return columns;
    }
    for (Clauses.Range item : clauses.items(new Clauses.Range(set + 1, end))) {
      int at = item.from();
      boolean same =
          item.to() == at + 3
              && tokens.kind(at).isName()
              && tokens.isSymbol(at + 1, "=")
              && tokens.text(at).equals(tokens.text(at + 2));
      if (same) {
        columns.add(Names.of(tokens, at));
      }
    }
    return columns;
  }
}
