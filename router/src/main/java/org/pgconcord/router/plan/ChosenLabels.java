package org.pgconcord.router.plan;

import java.util.Set;
import org.pgconcord.router.sql.Clauses;
import org.pgconcord.router.sql.Names;
import org.pgconcord.router.sql.Tokens;

/**
 * What PostgreSQL may call a column of the result whose expression has no label: {@code id::text}
 * is called {@code id}, {@code lower(name)} is {@code lower}, and {@code '1'::bigint} is {@code
 * int8}. A bare name in ORDER BY means such a column before it means one of a table.
 */
final class ChosenLabels {
  /** Those that no token shows. */
  private static final Set<String> UNSEEN =
      Set.of(
          "?column?",
          "array",
          "bit",
          "bool",
          "bpchar",
          "case",
          "char",
          "coalesce",
          "date",
          "exists",
          "float4",
          "float8",
          "greatest",
          "int2",
          "int4",
          "int8",
          "interval",
          "least",
          "name",
          "nullif",
          "numeric",
          "row",
          "text",
          "time",
          "timestamp",
          "timestamptz",
          "timetz",
          "varbit",
          "varchar",
          "xml");

  private ChosenLabels() {}

  /** Whether an expression that is no plain column may be called so. */
  static boolean mayBe(String name, Tokens tokens, Clauses.Range expression) {
    for (int i = expression.from(); i < expression.to(); i++) {
      if (tokens.kind(i).isName() && Names.of(tokens, i).equals(name)) {
        return true;
      }
    }
    return UNSEEN.contains(name);
  }
}
