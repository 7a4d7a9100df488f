package org.pgconcord.router.plan;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.router.sql.Clauses;
import org.pgconcord.router.sql.Names;
import org.pgconcord.router.sql.QueryView;
import org.pgconcord.router.sql.Tokens;

/**
 * The CTEs of a statement's outermost level by their tokens, which must be those that the parser
 * has read.
 */
final class WithItems {
  /**
   * One of them.
   *
   * @param whole from its name on, behind its closing parenthesis
   * @param writes it changes rows
   */
  record Item(String name, Clauses.Range whole, boolean writes) {}

  private final Tokens tokens;
  private final List<Item> items;

  private WithItems(Tokens tokens, List<Item> items) {
    this.tokens = tokens;
    this.items = items;
  }

  static WithItems of(PlanInput input, QueryView whole) {
    Tokens tokens = input.tokens();
    List<Item> items = new ArrayList<>();
    int at = tokens.isWord(1, "recursive") ? 2 : 1;
    for (QueryView.Cte cte : whole.with()) {
      int end = end(input, at);
      boolean alike =
          end > 0 && tokens.kind(at).isName() && Names.of(tokens, at).equals(cte.name());
      if (!alike) {
        throw ErrorCode.SQL_UNREADABLE.because("the CTEs of this statement are not read here");
      }
      items.add(new Item(cte.name(), new Clauses.Range(at, end), cte.write().isPresent()));
      at = end + 1;
    }
    return new WithItems(tokens, items);
  }

  /** Behind the parenthesis that closes the CTE at {@code name}; SEARCH and CYCLE are not read. */
  private static int end(PlanInput input, int name) {
    Tokens tokens = input.tokens();
    int at = name + 1;
    if (tokens.isSymbol(at, "(")) {
      at = input.clauses().close(at) + 1;
    }
    if (at < 0 || !tokens.isWord(at, "as")) {
      return -1;
    }
    at++;
    at += tokens.isWord(at, "not") ? 1 : 0;
    at += tokens.isWord(at, "materialized") ? 1 : 0;
    int end = input.clauses().close(at) + 1;
    return tokens.isWord(end, "search") || tokens.isWord(end, "cycle") ? -1 : end;
  }

  /**
   * The CTEs that are named in ranges of tokens, and in those CTEs; empty when one of them writes,
   * so that there is nothing to read before the statement runs. A name counts wherever it stands.
   */
  Optional<List<Clauses.Range>> readBy(List<Clauses.Range> ranges) {
    Set<Item> found = new HashSet<>();
    List<Clauses.Range> open = new ArrayList<>(ranges);
    while (!open.isEmpty()) {
      Clauses.Range range = open.remove(open.size() - 1);
      items.stream()
          .filter(item -> isNamed(item.name(), range))
          .filter(found::add)
          .forEach(item -> open.add(item.whole()));
    }
    return found.stream().anyMatch(Item::writes)
        ? Optional.empty()
        : Optional.of(items.stream().filter(found::contains).map(Item::whole).toList());
  }

  /** The first. */
  Clauses.Range first() {
    return items.get(0).whole();
  }

  /** One of them has this name. */
  boolean has(String name) {
    return items.stream().anyMatch(item -> item.name().equals(name));
  }

  private boolean isNamed(String name, Clauses.Range range) {
    return IntStream.range(range.from(), range.to())
        .anyMatch(i -> tokens.kind(i).isName() && Names.of(tokens, i).equals(name));
  }
}
