package org.pgconcord.router.plan;

import java.util.List;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.pgconcord.router.analyse.ReadFacts;
import org.pgconcord.router.analyse.TablePlace;
import org.pgconcord.router.analyse.TableUse;
import org.pgconcord.router.sql.Clauses;
import org.pgconcord.router.sql.Tokens;

/**
 * Whether a subquery names nothing but its own tables and their columns. PostgreSQL looks for a
 * name in the innermost query first, so that none of them can mean what is around the subquery.
 */
final class InnerNames {
  private final Tokens tokens;
  private final Clauses clauses;
  private final Subqueries subqueries;
  private final List<TableColumns> tables;
  private final boolean known;

  /** {@code inside}: the tables of the subquery, and of those in it. */
  InnerNames(PlanInput input, Subqueries subqueries, List<TablePlace> inside) {
    this.tokens = input.tokens();
    this.clauses = input.clauses();
    this.subqueries = subqueries;
    this.known = inside.stream().allMatch(t -> TableColumns.areReadable(input, t));
    this.tables = known ? inside.stream().map(t -> new TableColumns(input, t)).toList() : List.of();
  }

  /** Of a statement that is a subquery of another. */
  InnerNames(PlanInput input, ReadFacts facts) {
    this(
        input,
        new Subqueries(input, facts),
        Stream.concat(facts.sharded().stream().map(TableUse::at), facts.copies().stream())
            .toList());
  }

  /** Of all tokens. */
  boolean only() {
    return only(new Clauses.Range(0, tokens.size()), i -> false);
  }

  /** {@code other}: tokens that may be names for another reason. */
  boolean only(Clauses.Range subquery, IntPredicate other) {
    return known
        && IntStream.range(subquery.from(), subquery.to())
            .filter(i -> tokens.kind(i).isName())
            .allMatch(
                i ->
                    other.test(i)
                        || tables.stream().anyMatch(t -> t.isDeclaredAt(i) || isSeen(t, i))
                        || tokens.isWord(i - 1, "as")
                        || isGrammar(i));
  }

  /** Whether a token is a column of a table of its own subquery, or of one around that. */
  private boolean isSeen(TableColumns table, int i) {
    Clauses.Range scope = subqueries.innermost(table.from());
    return scope.holds(i) && table.isColumn(i);
  }

  private boolean isGrammar(int i) {
    return clauses.isExpressionWord(i)
        || tokens.isSymbol(i - 1, "::")
        || (tokens.isSymbol(i + 1, "(") && !tokens.isSymbol(i - 1, "."))
        || tokens.isAnyWord(
            i,
            "select",
            "from",
            "where",
            "exists",
            "any",
            "all",
            "some",
            "join",
            "on",
            "inner",
            "distinct",
            "group",
            "by",
            "having",
            "order",
            "asc",
            "desc",
            "limit",
            "filter");
  }
}
