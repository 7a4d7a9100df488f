package org.pgconcord.router.plan;

import java.util.HashSet;
import java.util.Set;
import org.pgconcord.router.sql.Clauses;
import org.pgconcord.router.sql.Names;
import org.pgconcord.router.sql.Tokens;

/**
 * The columns that USING and NATURAL merge, anywhere in a statement: without a table in front of it
 * such a name is the column of one side or of neither, and a condition on it is none on a table
 * that merely has a column of that name. Equal values need not look alike.
 */
final class MergedColumns {
  private final Tokens tokens;
  private final Set<String> names = new HashSet<>();
  private final boolean natural;

  MergedColumns(PlanInput input) {
    this.tokens = input.tokens();
    this.natural = input.clauses().has("natural");
    for (int i = 0; i < tokens.size(); i++) {
      if (input.clauses().isKeyword(i, "using") && tokens.isSymbol(i + 1, "(")) {
        add(new Clauses.Range(i + 2, input.clauses().partner(i + 1)));
      }
    }
  }

  private void add(Clauses.Range list) {
    for (int i = list.from(); i < list.to(); i++) {
      if (tokens.kind(i).isName()) {
        names.add(Names.of(tokens, i));
      }
    }
  }

  /** Those of USING. */
  Set<String> names() {
    return names;
  }

  /** Whether a token, without a table in front of it, may mean a merged column. */
  boolean isMerged(int token) {
    return tokens.kind(token).isName()
        && !tokens.isSymbol(token - 1, ".")
        && !tokens.isSymbol(token + 1, ".")
        && (natural || names.contains(Names.of(tokens, token)));
  }
}
