package org.pgconcord.router.plan;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.router.analyse.ReadAnalysis;
import org.pgconcord.router.analyse.ReadFacts;
import org.pgconcord.router.analyse.TableUse;
import org.pgconcord.router.sql.Clauses;
import org.pgconcord.router.sql.FromView;
import org.pgconcord.router.sql.Names;
import org.pgconcord.router.sql.QueryView;
import org.pgconcord.router.sql.StatementReader;
import org.pgconcord.router.sql.StatementText;
import org.pgconcord.router.sql.StatementView;
import org.pgconcord.router.sql.TokenKind;
import org.pgconcord.router.sql.Tokens;
import org.pgconcord.router.sql.UnreadableException;

/**
 * The SELECTs within a query that are reduced on the shards each by itself: subqueries in FROM,
 * bodies of CTEs, arms of set operations, and subqueries in expressions that name nothing from
 * around them.
 *
 * <p><b>Claim.</b> Such a SELECT gives the same rows as it would as a statement of its own, however
 * often it is evaluated: all its names mean what they would mean there. So what may be fetched for
 * it as a statement ({@link ReducedBlock}: partial aggregates, distinct rows, first rows), and the
 * finishing text that this leaves of it, may stand in its place; the rest of the query sees a
 * SELECT of the same columns, types and collations, since these are still made by its own select
 * list over columns of tables.
 *
 * <p>It is planned as the statement that its tokens are. That they are read alike holds where
 *
 * <ol>
 *   <li>it names no CTE of the statement, which would be another table there;
 *   <li>no block around it can be seen from it, or every name in it is one of its own tables' or
 *       columns' names, which come first;
 *   <li>its parameters occur in it alone: PostgreSQL gives a parameter the type of its first
 *       occurrence.
 * </ol>
 *
 * <p>What does no more than apply conditions is left to the fetches of tables, which know more of
 * what is around it; likewise what an index leads.
 */
final class ReducedParts {
  private final PlanInput input;
  private final Tokens tokens;
  private final ReadFacts facts;
  private final FetchIndexes indexes;
  private final Set<String> ctes;

  /** Those found so far, outer ones before inner ones. */
  private final List<Part> parts = new ArrayList<>();

  private record Part(Clauses.Range range, ReducedBlock.Reduced reduced) {}

  ReducedParts(PlanInput input, QueryView query, ReadFacts facts, FetchIndexes indexes) {
    this.input = input;
    this.tokens = input.tokens();
    this.facts = facts;
    this.indexes = indexes;
    this.ctes = new HashSet<>();
    addCtes(query);
  }

  private void addCtes(QueryView query) {
    query.with().forEach(cte -> ctes.add(cte.name()));
    query.with().forEach(cte -> addCtes(cte.query()));
    query.nested().forEach(this::addCtes);
    for (QueryView.Block block : query.blocks()) {
      block.nested().forEach(this::addCtes);
      block.from().forEach(this::addCtes);
    }
  }

  private void addCtes(FromView item) {
    if (item instanceof FromView.Joined join) {
      addCtes(join.left());
      addCtes(join.right());
    } else if (item instanceof FromView.Derived derived) {
      addCtes(derived.query());
    }
  }

  /**
   * What was found.
   *
   * @param single by the token of its one sharded table, a part that fetches rows of that alone
   * @param joined parts that fetch joined rows
   * @param left without the tables of these
   * @param finish of all parts
   */
  record Parts(Map<Integer, Fetch> single, List<Fetch> joined, ReadFacts left, Finish finish) {
    Optional<Fetch> fetchOf(TableUse use) {
      return Optional.ofNullable(single.get(use.place().token()));
    }
  }

  Parts find() {
    candidates().forEach((range, free) -> part(range, free).ifPresent(parts::add));
    Map<Integer, Fetch> single = new HashMap<>();
    List<Fetch> joined = new ArrayList<>();
    Finish finish = Finish.NOTHING;
    Set<Integer> gone = new HashSet<>();
    for (Part part : parts) {
      Fetch fetch = part.reduced().fetch().within(part.range());
      finish = finish.and(part.reduced().aggregates().within(part.range()));
      List<Integer> inside =
          facts.sharded().stream().map(u -> u.place().token()).filter(part.range()::holds).toList();
      if (fetch.joined()) {
        joined.add(fetch);
        gone.addAll(inside);
      } else {
        single.put(inside.get(0), fetch);
      }
    }
    List<TableUse> left =
        facts.sharded().stream().filter(u -> !gone.contains(u.place().token())).toList();
    return new Parts(single, joined, facts.withSharded(left), finish);
  }

  /** The SELECTs with a sharded table in their FROM, and whether no block around is seen. */
  private Map<Clauses.Range, Boolean> candidates() {
    Map<Clauses.Range, Boolean> found = new LinkedHashMap<>();
    facts.sharded().stream()
        .filter(use -> use.place().token() >= 0)
        .flatMap(
            use ->
                input.clauses().block(use.place().token()).stream()
                    .map(range -> Map.entry(range, facts.free().contains(use.place().block()))))
        .sorted(Comparator.comparing(e -> e.getKey().from() - e.getKey().to()))
        .forEach(e -> found.put(e.getKey(), e.getValue()));
    return found;
  }

  private Optional<Part> part(Clauses.Range range, boolean free) {
    boolean inside = parts.stream().anyMatch(part -> part.range().holds(range.from()));
    if (inside || namesCte(range) || sharesParameters(range) || isLed(range)) {
      return Optional.empty();
    }
    try {
      StatementText text = input.text().part(range);
      PlanInput alone = PlanInput.of(text, input.context());
      StatementView view = StatementReader.read(text, alone.names().watched());
      ReadFacts own = ReadAnalysis.of(view.scope(), alone.names());
      if (!free && !new InnerNames(alone, own).only()) {
        return Optional.empty();
      }
      return new GatherPlanner(alone, view.scope(), own)
          .reduced("pgconcord_" + range.from())
          .filter(reduced -> !reduced.fetch().statement().tail().pieces().isEmpty())
          .map(reduced -> new Part(range, reduced));
    } catch (UnreadableException | ConcordException e) {
      return Optional.empty();
    }
  }

  private boolean namesCte(Clauses.Range range) {
    return !ctes.isEmpty()
        && IntStream.range(range.from(), range.to())
            .anyMatch(i -> tokens.kind(i).isName() && ctes.contains(Names.of(tokens, i)));
  }

  private boolean sharesParameters(Clauses.Range range) {
    Set<String> own = new HashSet<>();
    Set<String> others = new HashSet<>();
    for (int i = 0; i < tokens.size(); i++) {
      if (tokens.kind(i) == TokenKind.PARAMETER) {
        (range.holds(i) ? own : others).add(tokens.text(i));
      }
    }
    own.retainAll(others);
    return !own.isEmpty();
  }

  private boolean isLed(Clauses.Range range) {
    return facts.sharded().stream()
        .filter(use -> range.holds(use.place().token()))
        .anyMatch(use -> !indexes.of(use).isEmpty());
  }
}
