package org.pgconcord.router.sql;

import java.util.Comparator;
import java.util.List;

/**
 * A range of a client's tokens with another text in its place.
 *
 * @param from index of the first token that goes
 * @param to index behind the last one; {@code from} for an insertion in front of that token
 * @param text what stands there instead
 */
public record SqlReplacement(int from, int to, String text) {
  public SqlReplacement {
    if (from > to) {
      throw new IllegalArgumentException("a range that ends before it begins");
    }
  }

  /** An insertion, as a replacement of nothing. */
  public static SqlReplacement of(SqlEdit edit) {
    return new SqlReplacement(edit.token(), edit.token(), edit.text());
  }

  /** The statement with all replacements made, which do not overlap; in any order. */
  public static String apply(StatementText statement, List<SqlReplacement> replacements) {
    Tokens tokens = statement.tokens();
    StringBuilder out = new StringBuilder(statement.sql().length() + 256);
    int copied = 0;
    List<SqlReplacement> sorted =
        replacements.stream()
            .sorted(
                Comparator.comparingInt(SqlReplacement::from).thenComparingInt(SqlReplacement::to))
            .toList();
    for (SqlReplacement one : sorted) {
      boolean insertion = one.from == one.to && one.from > 0;
      int start = insertion ? tokens.end(one.from - 1) : tokens.start(one.from);
      out.append(statement.sql(), copied, Math.max(copied, start)).append(one.text);
      copied = Math.max(copied, insertion ? start : tokens.end(one.to - 1));
    }
    return out.append(statement.sql(), copied, statement.sql().length()).toString();
  }
}
