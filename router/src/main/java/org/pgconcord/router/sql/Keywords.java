package org.pgconcord.router.sql;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Set;

/** PostgreSQL's keywords as far as a token's meaning here depends on them; lower case. */
final class Keywords {
  /** All of them, from {@code pg_get_keywords()} of version 18. */
  private static final Set<String> ALL = load();

  private Keywords() {}

  /** True for a keyword of any kind, in any case. */
  static boolean isKeyword(String word) {
    return ALL.contains(Names.fold(word));
  }

  private static Set<String> load() {
    try (InputStream in = Keywords.class.getResourceAsStream("keywords.txt")) {
      String text = new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
      return Set.of(text.strip().split("\n"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Reserved words behind which an expression begins, so that an operator there is a prefix. */
  static final Set<String> BEFORE_EXPRESSION =
      Set.of(
          "all",
          "and",
          "any",
          "as",
          "between",
          "both",
          "by",
          "case",
          "default",
          "distinct",
          "else",
          "escape",
          "except",
          "fetch",
          "for",
          "from",
          "having",
          "ilike",
          "in",
          "intersect",
          "into",
          "is",
          "leading",
          "like",
          "limit",
          "not",
          "offset",
          "on",
          "or",
          "placing",
          "returning",
          "select",
          "set",
          "similar",
          "some",
          "symmetric",
          "then",
          "to",
          "trailing",
          "union",
          "using",
          "values",
          "variadic",
          "when",
          "where",
          "zone");

  /** Words that stand in front of {@code (} without being a function's name. */
  static final Set<String> BEFORE_PARENTHESIS =
      Set.of(
          "all",
          "and",
          "any",
          "array",
          "as",
          "asymmetric",
          "between",
          "by",
          "case",
          "cast",
          "collate",
          "conflict",
          "cross",
          "cube",
          "default",
          "distinct",
          "do",
          "else",
          "end",
          "escape",
          "except",
          "exists",
          "fetch",
          "filter",
          "first",
          "following",
          "for",
          "from",
          "full",
          "group",
          "grouping",
          "having",
          "ilike",
          "in",
          "inner",
          "intersect",
          "into",
          "is",
          "isnull",
          "join",
          "key",
          "last",
          "lateral",
          "left",
          "like",
          "limit",
          "materialized",
          "natural",
          "next",
          "not",
          "notnull",
          "nulls",
          "of",
          "offset",
          "on",
          "only",
          "operator",
          "or",
          "order",
          "over",
          "partition",
          "preceding",
          "range",
          "recursive",
          "returning",
          "right",
          "rollup",
          "row",
          "rows",
          "select",
          "set",
          "sets",
          "share",
          "similar",
          "some",
          "symmetric",
          "table",
          "tablesample",
          "then",
          "to",
          "union",
          "unique",
          "update",
          "using",
          "values",
          "variadic",
          "when",
          "where",
          "window",
          "with",
          "within");

  /** Words between the operands of a condition, and in front of a constant of a type. */
  static final Set<String> IN_EXPRESSION =
      Set.of(
          "and",
          "array",
          "as",
          "between",
          "case",
          "date",
          "distinct",
          "else",
          "end",
          "escape",
          "false",
          "from",
          "ilike",
          "in",
          "interval",
          "is",
          "isnull",
          "like",
          "not",
          "notnull",
          "null",
          "or",
          "similar",
          "symmetric",
          "then",
          "timestamp",
          "to",
          "true",
          "unknown",
          "when");

  /** Reserved words that end the condition of a WHERE clause at its own level. */
  static final Set<String> AFTER_WHERE =
      Set.of(
          "group",
          "having",
          "window",
          "union",
          "intersect",
          "except",
          "order",
          "limit",
          "offset",
          "fetch",
          "for",
          "returning");

  static final Set<String> COMPARISONS = Set.of("=", "<", ">", "<=", ">=", "<>", "!=");

  static final Set<String> MATCHES = Set.of("ilike", "in", "like", "similar");

  /** Words that the operand of IS cannot reach over. */
  static final Set<String> BEFORE_TEST =
      Set.of(
          "all",
          "and",
          "by",
          "case",
          "distinct",
          "else",
          "having",
          "not",
          "on",
          "or",
          "returning",
          "select",
          "set",
          "then",
          "values",
          "when",
          "where");

  /** Words behind VALUES that choose among its rows, or put them in an order. */
  static final Set<String> AFTER_VALUES =
      Set.of("order", "limit", "offset", "fetch", "union", "intersect", "except");

  /** Reserved words that end a select list, or one behind RETURNING, at its own level. */
  static final Set<String> AFTER_LIST =
      Set.of(
          "from",
          "into",
          "where",
          "group",
          "having",
          "window",
          "union",
          "intersect",
          "except",
          "order",
          "limit",
          "offset",
          "fetch",
          "for",
          "returning");

  /** Words that end the condition of an ON clause at its own level. */
  static final Set<String> AFTER_ON =
      Set.of("join", "inner", "left", "right", "full", "cross", "natural", "where", "on");

  /** Names of types that can be names of columns. */
  static final Set<String> TYPES =
      Set.of(
          "bigint",
          "decimal",
          "float",
          "int",
          "integer",
          "nchar",
          "numeric",
          "precision",
          "real",
          "smallint",
          "varchar",
          "varying");

  /** Words that are values of their own where they stand alone, whatever columns there are. */
  static final Set<String> VALUES =
      Set.of(
          "current_catalog",
          "current_date",
          "current_role",
          "current_schema",
          "current_time",
          "current_timestamp",
          "current_user",
          "default",
          "false",
          "localtime",
          "localtimestamp",
          "null",
          "session_user",
          "system_user",
          "true",
          "user");

  /** Words that JSqlParser must hand back as often as they were given to it. */
  static final Set<String> STRUCTURE =
      Set.of(
          "select",
          "where",
          "having",
          "group",
          "and",
          "or",
          "natural",
          "left",
          "right",
          "full",
          "join",
          "using",
          "union",
          "intersect",
          "except",
          "distinct",
          "lateral",
          "recursive",
          "returning",
          "exists",
          "between",
          "case",
          "only",
          "all",
          "any",
          "some");
}
