package org.pgconcord.router.plan;

import java.util.List;
import org.pgconcord.router.sql.Clauses;
import org.pgconcord.router.sql.SqlReplacement;
import org.pgconcord.router.sql.StatementText;

/**
 * A subquery that stands for one value, or for one row of values: NULL where it has no row.
 *
 * @param parentheses with what is in them
 */
record FoundValue(FoundQuery asked, Clauses.Range parentheses) implements Found {
  @Override
  public String query(StatementText text) {
    return asked.text(text);
  }

  @Override
  public String with(StatementText text, FoundValues rows) {
    String value = rows.values(0, rows.first(rows.columns().size()));
    return SqlReplacement.apply(
        text, List.of(new SqlReplacement(parentheses.from(), parentheses.to(), "(" + value + ")")));
  }

  @Override
  public boolean single() {
    return true;
  }

  @Override
  public boolean repeats() {
    return false;
  }

  @Override
  public boolean typed() {
    return false;
  }
}
