package org.pgconcord.router.plan;

import java.util.List;
import java.util.Optional;
import org.pgconcord.router.analyse.ReadFacts;
import org.pgconcord.router.analyse.TableUse;
import org.pgconcord.router.sql.Clauses;
import org.pgconcord.router.sql.Names;
import org.pgconcord.router.sql.Tokens;

/**
 * {@code t.key IN (SELECT u.key FROM u ... WHERE ...)} as a condition that must hold: of the
 * subquery's rows only those with T's own key can make it true, and they are on the shard of T's
 * row where the two keys are co-located. The subquery's other rows decide between false and NULL
 * alone, which drop the row alike. That is so because each row of it is looked at by itself: it has
 * no groups, no order, no limit and no other arm.
 */
final class KeyMembership {
  private static final String[] BEYOND_ONE_ROW = {
    "with",
    "distinct",
    "group",
    "having",
    "window",
    "over",
    "order",
    "limit",
    "offset",
    "fetch",
    "union",
    "intersect",
    "except",
    "left",
    "right",
    "full",
    "using",
    "natural"
  };

  private KeyMembership() {}

  /**
   * The table U.
   *
   * @param table T
   * @param condition one operand of an AND chain
   * @param subquery in it, without its parentheses
   */
  static Optional<TableUse> table(
      PlanInput input,
      Subqueries subqueries,
      ReadFacts facts,
      TableUse table,
      Clauses.Range condition,
      Clauses.Range subquery) {
    Tokens tokens = input.tokens();
    int in = subquery.from() - 2;
    Optional<String> left = column(tokens, new Clauses.Range(condition.from(), in), table.alias());
    boolean whole =
        tokens.isWord(in, "in")
            && subquery.to() + 1 == condition.to()
            && tokens.isWord(subquery.from(), "select")
            && left.filter(name -> isWholeKey(table, name)).isPresent();
    if (!whole || isBeyondOneRow(input, subquery)) {
      return Optional.empty();
    }
    int from = subquery.from() + 1;
    while (from < subquery.to() && !tokens.isWord(from, "from")) {
      from++;
    }
    Clauses.Range item = new Clauses.Range(subquery.from() + 1, from);
    List<TableUse> inside =
        facts.sharded().stream()
            .filter(u -> isIn(u.place().token(), subquery))
            .filter(u -> subqueries.innermost(u.place().token()).equals(subquery))
            .toList();
    List<TableUse> named =
        inside.stream()
            .filter(u -> column(tokens, item, u.alias()).filter(n -> isWholeKey(u, n)).isPresent())
            .toList();
    return named.size() == 1
            && !named.get(0).place().nullable()
            && table.key().colocatedWith(named.get(0).key())
            && isLone(tokens, item, named.get(0), inside, facts, subquery)
        ? Optional.of(named.get(0))
        : Optional.empty();
  }

  private static boolean isIn(int token, Clauses.Range range) {
    return range.from() <= token && token < range.to();
  }

  /** A name without a table is U's where no other table of the subquery has such a column. */
  private static boolean isLone(
      Tokens tokens,
      Clauses.Range item,
      TableUse member,
      List<TableUse> inside,
      ReadFacts facts,
      Clauses.Range subquery) {
    String name = Names.of(tokens, item.to() - 1);
    return item.to() - item.from() == 3
        || (inside.stream().filter(u -> u.table().hasColumn(name)).toList().equals(List.of(member))
            && facts.copies().stream()
                .filter(c -> isIn(c.place().token(), subquery))
                .noneMatch(c -> c.table().hasColumn(name)));
  }

  private static boolean isBeyondOneRow(PlanInput input, Clauses.Range subquery) {
    for (int i = subquery.from(); i < subquery.to(); i++) {
      for (String word : BEYOND_ONE_ROW) {
        if (input.clauses().isKeyword(i, word)) {
          return true;
        }
      }
    }
    return false;
  }

  private static boolean isWholeKey(TableUse table, String column) {
    return table.key().columns().size() == 1 && table.key().position(column) == 0;
  }

  /** The column that is all of the range, if no other table's name is in front of it. */
  private static Optional<String> column(Tokens tokens, Clauses.Range range, String alias) {
    int last = range.to() - 1;
    boolean plain = range.to() - range.from() == 1 && tokens.kind(last).isName();
    boolean qualified =
        range.to() - range.from() == 3
            && tokens.kind(last).isName()
            && tokens.isSymbol(last - 1, ".")
            && tokens.kind(last - 2).isName()
            && Names.of(tokens, last - 2).equals(alias);
    return plain || qualified ? Optional.of(Names.of(tokens, last)) : Optional.empty();
  }
}
