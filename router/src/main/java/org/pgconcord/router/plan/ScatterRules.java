package org.pgconcord.router.plan;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.TableName;
import org.pgconcord.router.analyse.DeclaredTable;
import org.pgconcord.router.analyse.KnownFunctions.Kind;
import org.pgconcord.router.analyse.ReadFacts;
import org.pgconcord.router.analyse.TableUse;
import org.pgconcord.router.sql.Clauses;
import org.pgconcord.router.sql.Names;
import org.pgconcord.router.sql.Tokens;

/**
 * When the answers of all shards, concatenated in any order, are the answer: one SELECT whose rows
 * each come from one shard, and nothing that looks at more than one row at a time but subqueries
 * that see rows of their outer row's shard alone, and groups that are whole on their shards ({@link
 * WholeGroups}). Checked on the tokens as well as on the tree, since a clause that a parser lost
 * would make answers wrong.
 */
final class ScatterRules {
  private static final List<String> MERGING =
      List.of(
          "group",
          "having",
          "limit",
          "offset",
          "fetch",
          "union",
          "intersect",
          "except",
          "window",
          "over",
          "filter",
          "within",
          "with",
          "into",
          "tablesample",
          "values");

  /** Those of the list that whole groups on a shard may have. */
  private static final Set<String> OF_GROUPS =
      Set.of("group", "having", "window", "over", "filter", "within");

  private static final Set<String> OF_FIRST_ROWS = Set.of("limit", "offset", "fetch");

  private static final Set<String> SYSTEM_COLUMNS =
      Set.of("ctid", "xmin", "xmax", "cmin", "cmax", "tableoid");

  private final PlanInput input;
  private final ReadFacts facts;
  private final Subqueries subqueries;
  private final boolean wholeGroups;
  private boolean firstRows;

  ScatterRules(PlanInput input, ReadFacts facts) {
    this.input = input;
    this.facts = facts;
    this.subqueries = new Subqueries(input, facts);
    this.wholeGroups = new WholeGroups(input, facts, subqueries).answer();
  }

  /** Refuses what cannot be scattered, naming the reasons against narrower routes too. */
  void check(List<String> why) {
    if (!wholeGroups && subqueries.isOutside("order")) {
      throw merge("ORDER", why);
    }
    checkRows(why);
  }

  /** The same for answers that come in the order of the ORDER BY that stands at their end. */
  void checkSorted() {
    checkRows(List.of());
  }

  /** The same of a query whose first rows are asked for, for all of its rows. */
  void checkFirstRows(List<String> why, boolean sorted) {
    firstRows = true;
    if (sorted) {
      checkRows(why);
    } else {
      check(why);
    }
  }

  private void checkRows(List<String> why) {
    clauses(why);
    if (!facts.local().isEmpty()) {
      throw ErrorCode.QUERY_CROSS_SHARD
          .because("sharded tables are read together with tables of one shard")
          .withDetail(detail(why));
    }
    if (!facts.byShard()) {
      Set<TableName> tables =
          facts.sharded().stream().map(u -> u.table().name()).collect(Collectors.toSet());
      throw ErrorCode.QUERY_CROSS_SHARD
          .because(
              tables.size() > 1 || facts.sharded().size() > 1
                  ? "sharded tables are not joined on their shard keys"
                  : "rows of %s are not each joined with rows of their own shard"
                      .formatted(tables.iterator().next()))
          .withDetail(detail(why));
    }
    functions(why);
    columns();
  }

  /** Refuses what could mean different things on the shards of an UPDATE or DELETE on all. */
  void checkWrite() {
    new DifferingShards(input).refuseTogether(facts);
    functions(List.of());
    columns();
  }

  /** The same for an INSERT ... SELECT on all: its rows may be groups, and random. */
  void checkSelected() {
    new DifferingShards(input).refuseTogether(facts);
    String others = Refusals.calls(input, Kind.UNKNOWN, Kind.BUILT_IN);
    if (!others.isEmpty()) {
      throw ErrorCode.FUNCTION_NOT_KNOWN.because(
          "only functions known to be read-only are sent to all shards, not " + others);
    }
    columns();
  }

  private void clauses(List<String> why) {
    for (String word : MERGING) {
      boolean group = wholeGroups && OF_GROUPS.contains(word);
      boolean first = firstRows && OF_FIRST_ROWS.contains(word);
      if (!group && !first && subqueries.isOutside(word) && !isName(word)) {
        throw merge(word.toUpperCase(java.util.Locale.ROOT), why);
      }
    }
    if (subqueries.selectsOutside() != 1 || !subqueries.areOfOneShard()) {
      throw merge("a subquery", why);
    }
    Tokens tokens = input.tokens();
    for (int i = 0; i < tokens.size(); i++) {
      if (!wholeGroups
          && tokens.isWord(i, "distinct")
          && !tokens.isAnyWord(i - 1, "is", "not")
          && !subqueries.cover(i)) {
        throw merge("DISTINCT", why);
      }
    }
  }

  /** Words of the list that PostgreSQL does not reserve count only in front of a parenthesis. */
  private boolean isName(String word) {
    if (!Set.of("over", "filter", "within", "values").contains(word)) {
      return false;
    }
    Tokens tokens = input.tokens();
    Clauses clauses = input.clauses();
    for (int i = 0; i < tokens.size(); i++) {
      boolean grammar =
          tokens.isSymbol(i + 1, "(") || tokens.isWord(i + 1, "group") || word.equals("over");
      if (clauses.isKeyword(i, word) && grammar && !subqueries.cover(i)) {
        return false;
      }
    }
    return true;
  }

  private void functions(List<String> why) {
    if (!wholeGroups
        && subqueries.callsOutside(Kind.AGGREGATE) + subqueries.callsOutside(Kind.WINDOW) > 0) {
      throw merge("the aggregate " + Refusals.calls(input, Kind.AGGREGATE, Kind.WINDOW), why);
    }
    String others = Refusals.calls(input, Kind.UNKNOWN, Kind.BUILT_IN, Kind.HARMLESS);
    if (!others.isEmpty()) {
      throw ErrorCode.FUNCTION_NOT_KNOWN
          .because("only functions known to be read-only are sent to all shards, not " + others)
          .withDetail(detail(why));
    }
  }

  private void columns() {
    Tokens tokens = input.tokens();
    for (int i = 0; i < tokens.size(); i++) {
      if (!tokens.kind(i).isName()) {
        continue;
      }
      String name = Names.of(tokens, i);
      if (SYSTEM_COLUMNS.contains(name)) {
        throw ErrorCode.QUERY_SYSTEM_COLUMN.because(
            "system column %s over several shards".formatted(name));
      }
      if (tokens.isSymbol(i - 1, ".") && !tokens.isSymbol(i + 1, "(")) {
        ofExpression(i, name);
        field(i, name);
      }
    }
  }

  /** {@code (u).f} is a field of a value, or a call of {@code f}, an aggregate perhaps. */
  private void ofExpression(int token, String name) {
    Tokens tokens = input.tokens();
    if (tokens.isSymbol(token - 2, ")") || tokens.isSymbol(token - 2, "]")) {
      throw ErrorCode.QUERY_UNKNOWN_COLUMN.because(
          "what \"%s\" is behind an expression is not known here".formatted(name));
    }
  }

  /** {@code u.f} calls the function {@code f} when {@code u} has no such column. */
  private void field(int token, String name) {
    Tokens tokens = input.tokens();
    if (token < 2 || !tokens.kind(token - 2).isName() || tokens.isSymbol(token + 1, ".")) {
      return;
    }
    String qualifier = Names.of(tokens, token - 2);
    for (TableUse use : facts.sharded()) {
      boolean isTable = use.table().name().name().equals(name);
      if (use.alias().equals(qualifier) && !use.table().hasColumn(name) && !isTable) {
        throw ErrorCode.QUERY_UNKNOWN_COLUMN.because(
            "%s has no column \"%s\"".formatted(use.table().name(), name));
      }
    }
    boolean sharded = facts.sharded().stream().anyMatch(u -> u.alias().equals(qualifier));
    if (!sharded && !facts.references().stream().allMatch(t -> mayMean(t, qualifier, name))) {
      throw ErrorCode.QUERY_UNKNOWN_COLUMN.because(
          "not every reference table that \"%s\" could be has a column \"%s\""
              .formatted(qualifier, name));
    }
  }

  /** A column, the table's own name, or that of a table with another schema. */
  private static boolean mayMean(DeclaredTable table, String qualifier, String name) {
    return table.hasColumn(name) || table.name().schema().equals(qualifier);
  }

  private static org.pgconcord.config.error.ConcordException merge(String what, List<String> why) {
    return ErrorCode.QUERY_NEEDS_MERGE
        .because(what + " over several shards needs a merge")
        .withDetail(detail(why));
  }

  private static String detail(List<String> why) {
    return String.join("; ", why);
  }
}
