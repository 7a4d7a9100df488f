package org.pgconcord.router.plan;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.pgconcord.router.analyse.KnownFunctions.Kind;
import org.pgconcord.router.analyse.ReadFacts;
import org.pgconcord.router.analyse.TablePlace;
import org.pgconcord.router.analyse.TableUse;
import org.pgconcord.router.sql.Clauses;
import org.pgconcord.router.sql.Names;
import org.pgconcord.router.sql.Tokens;

/**
 * Groups, windows and duplicates that lie on one shard each.
 *
 * <p><b>Claim.</b> Where the shards together have the joined rows that one server would have, each
 * of them on one shard (the caller has seen to that), they also have its groups, each whole on one
 * shard, if GROUP BY names the shard key of a table that decides the row's shard ({@link
 * ReadFacts#roots}). Rows of one group agree in that key, by the equality that the key's hash is
 * made for; so they are on the shard of that key. The table is never filled with NULLs by an outer
 * join, and a stored key is not NULL. Hence each shard computes the group's aggregates, whatever
 * they are, and HAVING, as one server would. Grouping sets are many groupings: an item of the
 * list's own level is in each of them.
 *
 * <p>The same holds of a window's PARTITION BY, if all windows of the query have the key, and of
 * DISTINCT, if the select list has it as a plain column. An order of all rows, and LIMIT, look
 * beyond a group: they are not for this class.
 *
 * <p>A name without a table means that table's column where no other table of the FROM clause has
 * one of that name; where some have, PostgreSQL takes the name only if USING or NATURAL have made
 * one column of them, which is equal to each where no outer join is about. In GROUP BY a column
 * comes before a label of the select list (the manual, "SELECT"); in DISTINCT only the list's own
 * items count.
 */
final class WholeGroups {
  private static final String[] BEHIND_GROUP = {
    "having", "window", "order", "limit", "offset", "fetch", "for", "union", "intersect", "except"
  };
  private static final String[] BEHIND_PARTITION = {"order", "rows", "range", "groups"};

  private final PlanInput input;
  private final Tokens tokens;
  private final Clauses clauses;
  private final Subqueries subqueries;
  private final List<TableUse> roots;
  private final List<TablePlace> tables;

  WholeGroups(PlanInput input, ReadFacts facts, Subqueries subqueries) {
    this.input = input;
    this.tokens = input.tokens();
    this.clauses = input.clauses();
    this.subqueries = subqueries;
    this.roots =
        facts.sharded().stream()
            .filter(use -> facts.roots().contains(use.place().token()))
            .toList();
    this.tables =
        Stream.concat(facts.sharded().stream().map(TableUse::at), facts.copies().stream())
            .filter(use -> !subqueries.cover(use.place().token()))
            .toList();
  }

  /** Whether the query has groups, windows or duplicates to remove, all of them of one shard. */
  boolean answer() {
    Optional<Clauses.Range> group = group();
    boolean distinct = tokens.isWord(1, "distinct");
    boolean windows = subqueries.isOutside("over");
    if (roots.isEmpty()
        || (group.isEmpty() && !distinct && !windows)
        || clauses.topLevel(0, "order", "limit", "offset", "fetch") < tokens.size()) {
      return false;
    }
    return (group.isPresent() ? hasKey(clauses.items(group.get())) : isUngrouped())
        && (!windows || windowsHaveKey())
        && (!distinct || listHasKey());
  }

  private Optional<Clauses.Range> group() {
    int group = clauses.topLevel(0, "group");
    while (group < tokens.size() && !tokens.isWord(group + 1, "by")) {
      group = clauses.topLevel(group + 1, "group");
    }
    return group == tokens.size()
        ? Optional.empty()
        : Optional.of(new Clauses.Range(group + 2, clauses.topLevel(group + 2, BEHIND_GROUP)));
  }

  /** No aggregate makes one row of all: each call of one is a window's. */
  private boolean isUngrouped() {
    if (clauses.topLevel(0, "having") < tokens.size()) {
      return false;
    }
    long windowed = 0;
    for (int i = 0; i < tokens.size(); i++) {
      boolean call = tokens.kind(i).isName() && tokens.isSymbol(i + 1, "(") && !subqueries.cover(i);
      if (call && isAggregate(i)) {
        int behind = clauses.partner(i + 1) + 1;
        if (tokens.isWord(behind, "filter")) {
          behind = clauses.partner(behind + 1) + 1;
        }
        if (!tokens.isWord(behind, "over")) {
          return false;
        }
        windowed++;
      }
    }
    return windowed == subqueries.callsOutside(Kind.AGGREGATE);
  }

  private boolean isAggregate(int name) {
    return input.kind(
            new org.pgconcord.router.analyse.FunctionCalls.Call("", Names.of(tokens, name)))
        == Kind.AGGREGATE;
  }

  // --- windows ---------------------------------------------------------------------------------

  private boolean windowsHaveKey() {
    int window = clauses.topLevel(0, "window");
    boolean named = window < tokens.size();
    if (named && !definitionsHaveKey(window + 1)) {
      return false;
    }
    for (int i = 0; i < tokens.size(); i++) {
      if (clauses.isKeyword(i, "over") && !subqueries.cover(i)) {
        boolean whole =
            tokens.isSymbol(i + 1, "(")
                ? hasKey(new Clauses.Range(i + 2, clauses.partner(i + 1)), named)
                : named && i + 1 < tokens.size() && tokens.kind(i + 1).isName();
        if (!whole) {
          return false;
        }
      }
    }
    return true;
  }

  private boolean definitionsHaveKey(int from) {
    Clauses.Range list = new Clauses.Range(from, clauses.topLevel(from, BEHIND_GROUP));
    return clauses.items(list).stream()
        .allMatch(
            item ->
                tokens.isWord(item.from() + 1, "as")
                    && tokens.isSymbol(item.from() + 2, "(")
                    && clauses.partner(item.from() + 2) == item.to() - 1
                    && hasKey(new Clauses.Range(item.from() + 3, item.to() - 1), true));
  }

  /** Of a window that goes by the name of another, that one has been looked at. */
  private boolean hasKey(Clauses.Range definition, boolean named) {
    int first = definition.from();
    if (tokens.isWord(first, "partition") && tokens.isWord(first + 1, "by")) {
      int end = Math.min(clauses.topLevel(first + 2, BEHIND_PARTITION), definition.to());
      return hasKey(clauses.items(new Clauses.Range(first + 2, end)));
    }
    return named
        && first < definition.to()
        && tokens.kind(first).isName()
        && !tokens.isAnyWord(first, BEHIND_PARTITION);
  }

  // --- the select list -------------------------------------------------------------------------

  private boolean listHasKey() {
    if (tokens.isWord(2, "on")) {
      return false;
    }
    List<Clauses.Range> items = new ArrayList<>();
    for (Clauses.Range item : list()) {
      if (tokens.isSymbol(item.to() - 1, "*")) {
        return item.to() - item.from() == 1;
      }
      items.add(withoutLabel(item));
    }
    return hasKey(items);
  }

  private List<Clauses.Range> list() {
    int from = tokens.isAnyWord(1, "distinct", "all") ? 2 : 1;
    return clauses.items(new Clauses.Range(from, clauses.topLevel(from, "from")));
  }

  /** {@code a}, {@code t.a}, either with a label behind it. */
  private Clauses.Range withoutLabel(Clauses.Range item) {
    int length = item.to() - item.from();
    boolean written = length > 2 && tokens.isWord(item.to() - 2, "as");
    boolean bare = (length == 2 || length == 4) && !tokens.isSymbol(item.to() - 2, ".");
    int label = written ? 2 : bare && tokens.kind(item.to() - 1).isName() ? 1 : 0;
    return new Clauses.Range(item.from(), item.to() - label);
  }

  // --- columns ---------------------------------------------------------------------------------

  /** Whether the whole key of one of the tables is among expressions, each column by itself. */
  private boolean hasKey(List<Clauses.Range> expressions) {
    Map<TableUse, Set<String>> found = new HashMap<>();
    for (Clauses.Range expression : expressions) {
      for (TableUse root : roots) {
        if (isColumn(expression, root)) {
          String column = Names.of(tokens, expression.to() - 1);
          found.computeIfAbsent(root, r -> new HashSet<>()).add(column);
        }
      }
    }
    return roots.stream()
        .anyMatch(
            root ->
                root.key().columns().stream()
                    .allMatch(c -> found.getOrDefault(root, Set.of()).contains(c.name())));
  }

  private boolean isColumn(Clauses.Range expression, TableUse root) {
    int last = expression.to() - 1;
    int length = expression.to() - expression.from();
    if ((length != 1 && length != 3)
        || !tokens.kind(last).isName()
        || root.key().position(Names.of(tokens, last)) < 0) {
      return false;
    }
    if (length == 3) {
      return tokens.isSymbol(last - 1, ".")
          && tokens.kind(last - 2).isName()
          && Names.of(tokens, last - 2).equals(root.alias());
    }
    String name = Names.of(tokens, last);
    return tables.stream().filter(t -> t.table().hasColumn(name)).count() == 1 || isInner();
  }

  private boolean isInner() {
    for (int i = 0; i < tokens.size(); i++) {
      for (String word : List.of("left", "right", "full")) {
        if (clauses.isKeyword(i, word) && !tokens.isSymbol(i + 1, "(") && !subqueries.cover(i)) {
          return false;
        }
      }
    }
    return true;
  }
}
