package org.pgconcord.router.plan;

import java.util.List;
import java.util.Optional;
import org.pgconcord.router.analyse.FunctionCalls;
import org.pgconcord.router.analyse.KnownFunctions.Kind;
import org.pgconcord.router.analyse.ReadFacts;
import org.pgconcord.router.analyse.TableUse;
import org.pgconcord.router.sql.Clauses;
import org.pgconcord.router.sql.Names;
import org.pgconcord.router.sql.Tokens;

/**
 * The subqueries in the expressions of a statement of one block. Where each of them sees rows of
 * its outer row's shard alone ({@link ReadFacts#byShard}) a shard computes them as one server
 * would, whatever they consist of; what is outside of them decides how the shards' answers are put
 * together.
 */
final class Subqueries {
  private final PlanInput input;
  private final ReadFacts facts;
  private final List<Clauses.Range> ranges;

  Subqueries(PlanInput input, ReadFacts facts) {
    this.input = input;
    this.facts = facts;
    this.ranges = input.clauses().subqueries();
  }

  boolean none() {
    return ranges.isEmpty();
  }

  /** Whether a token belongs to a subquery. */
  boolean cover(int token) {
    return ranges.stream().anyMatch(r -> r.from() <= token && token < r.to());
  }

  /** Whether any of the keywords occurs outside of them. */
  boolean isOutside(String... words) {
    Tokens tokens = input.tokens();
    for (int i = 0; i < tokens.size(); i++) {
      for (String word : words) {
        if (input.clauses().isKeyword(i, word) && !cover(i)) {
          return true;
        }
      }
    }
    return false;
  }

  /** How many SELECTs there are outside of them. */
  int selectsOutside() {
    int count = 0;
    for (int i = 0; i < input.tokens().size(); i++) {
      count += input.clauses().isKeyword(i, "select") && !cover(i) ? 1 : 0;
    }
    return count;
  }

  /** How many calls of a kind there are outside of them. */
  long callsOutside(Kind kind) {
    long inside = ranges.stream().mapToLong(range -> calls(range, kind)).sum();
    return input.calls().stream().filter(c -> input.kind(c) == kind).count() - inside;
  }

  private long calls(Clauses.Range range, Kind kind) {
    return FunctionCalls.in(input.tokens().range(range.from(), range.to())).stream()
        .filter(c -> input.kind(c) == kind)
        .count();
  }

  /**
   * Whether a shard computes all of them as one server would. An aggregate in a subquery over
   * nothing but columns of the outer query is the outer query's own (PostgreSQL manual, "Aggregate
   * Expressions"): each must have a column of a table that its subquery reads, and no other.
   */
  boolean areOfOneShard() {
    return none() || (facts.byShard() && ranges.stream().allMatch(this::hasOnlyOwnAggregates));
  }

  /** Whether the aggregates in a subquery are over the rows of that subquery alone. */
  boolean hasOnlyOwnAggregates(Clauses.Range range) {
    Tokens tokens = input.tokens();
    long own = 0;
    for (int i = range.from(); i < range.to(); i++) {
      boolean call = tokens.kind(i).isName() && tokens.isSymbol(i + 1, "(");
      if (call && isAggregate(i)) {
        if (!isOwn(i, innermost(i))) {
          return false;
        }
        own++;
      }
    }
    return own == calls(range, Kind.AGGREGATE);
  }

  private boolean isAggregate(int name) {
    return input.kind(new FunctionCalls.Call("", Names.of(input.tokens(), name))) == Kind.AGGREGATE;
  }

  /** The subquery that a token stands in without another between. */
  Clauses.Range innermost(int token) {
    Tokens tokens = input.tokens();
    Clauses.Range around = input.clauses().around(token);
    while (around.from() > 0
        && !tokens.isAnyWord(around.from(), "select", "with", "values", "table")) {
      around = input.clauses().around(around.from() - 1);
    }
    return around;
  }

  private boolean isOwn(int name, Clauses.Range subquery) {
    Tokens tokens = input.tokens();
    int close = input.clauses().partner(name + 1);
    boolean filtered = tokens.isAnyWord(close + 1, "filter", "within");
    if (filtered || close < 0) {
      return false;
    } else if (tokens.isSymbol(name + 2, "*") && close == name + 3) {
      return true;
    }
    int from = tokens.isWord(name + 2, "distinct") ? name + 3 : name + 2;
    Optional<TableColumns> table =
        facts.sharded().stream()
            .filter(use -> isIn(use, subquery) && !use.place().renamed())
            .map(use -> new TableColumns(input, use.at()))
            .filter(columns -> overOnly(columns, from, close))
            .findFirst();
    return table.isPresent();
  }

  private boolean isIn(TableUse use, Clauses.Range subquery) {
    int token = use.place().token();
    return subquery.from() <= token && token < subquery.to() && innermost(token).equals(subquery);
  }

  private boolean overOnly(TableColumns columns, int from, int to) {
    Tokens tokens = input.tokens();
    boolean any = false;
    for (int i = from; i < to; i++) {
      if (tokens.kind(i).isName() && columns.isColumn(i)) {
        any = true;
      } else if (tokens.kind(i).isName() && !input.clauses().isExpressionWord(i)) {
        return false;
      }
    }
    return any;
  }
}
