package org.pgconcord.router.plan;

import java.util.List;
import org.pgconcord.router.sql.Clauses;
import org.pgconcord.router.sql.SqlReplacement;
import org.pgconcord.router.sql.StatementText;

/**
 * {@code columns IN (query)}, or =: a list of values in place of the predicate, which is by itself
 * one operand of the condition.
 *
 * @param predicate from the first column on
 * @param single with =
 */
record FoundList(FoundQuery asked, Clauses.Range predicate, boolean single, FoundKeys keys)
    implements Found {
  @Override
  public String query(StatementText text) {
    return asked.text(text);
  }

  @Override
  public String with(StatementText text, FoundValues rows) {
    return SqlReplacement.apply(
        text,
        List.of(
            new SqlReplacement(
                predicate.from(), predicate.to(), "(" + keys.condition(rows) + ")")));
  }

  @Override
  public boolean repeats() {
    return true;
  }

  @Override
  public boolean typed() {
    return false;
  }
}
