package org.pgconcord.router.plan;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.value.Identifiers;
import org.pgconcord.router.analyse.FunctionCalls;
import org.pgconcord.router.analyse.KnownFunctions.Kind;
import org.pgconcord.router.analyse.ReadFacts;
import org.pgconcord.router.analyse.TablePlace;
import org.pgconcord.router.analyse.TableUse;
import org.pgconcord.router.sql.Clauses;
import org.pgconcord.router.sql.TextTemplate;
import org.pgconcord.router.sql.Tokens;

/**
 * What the FROM clause around a table says of the rows of it that can matter, as far as the table's
 * own shards can tell.
 *
 * <p><b>Claim.</b> A row of table T that fails one of these conditions changes no answer. T's
 * columns are never filled with NULLs, so a row of T matters only by joined rows that it is a part
 * of and that pass the WHERE clause; where all joins of the clause are inner ones, they pass every
 * ON condition too. The operands of these conditions' AND chains therefore hold for such a joined
 * row, one by one:
 *
 * <ol>
 *   <li>an operand over T's columns alone is tested on T's row;
 *   <li>an operand with subqueries of which every sharded table follows T's row ({@link
 *       ReadFacts#follows}: its rows that matter are on that row's shard) and every other is a
 *       reference table has the value there that it has in the finishing query;
 *   <li>operands over T and its <i>partners</i>, which are tables of the same clause that are never
 *       filled with NULLs either, and are reference tables or follow T's row: the joined row has a
 *       row of each, all on T's shard or equal to one there. So EXISTS over the partners, with all
 *       of these operands, holds on the shard.
 * </ol>
 *
 * <p>A name that USING or NATURAL merges is no table's column ({@link MergedColumns}).
 *
 * <p>Each is implied by the query and tested again by it: leaving one out is always right.
 * Functions in them only read. Names mean the same in EXISTS as in the clause: one that is not
 * qualified is a column of exactly one table of the clause, or the query is in error.
 */
final class BlockConditions {
  private final PlanInput input;
  private final Tokens tokens;
  private final Clauses clauses;
  private final ReadFacts facts;
  private final TableUse use;
  private final TableColumns columns;
  private final Subqueries subqueries;
  private final MergedColumns merged;
  private final List<Clauses.Range> conjuncts;

  BlockConditions(PlanInput input, ReadFacts facts, TableUse use, TableColumns columns) {
    this.input = input;
    this.tokens = input.tokens();
    this.clauses = input.clauses();
    this.facts = facts;
    this.use = use;
    this.columns = columns;
    this.subqueries = new Subqueries(input, facts);
    this.merged = new MergedColumns(input);
    this.conjuncts = conjuncts();
  }

  private List<Clauses.Range> conjuncts() {
    if (use.place().nullable() || use.place().renamed()) {
      return List.of();
    }
    List<Clauses.Range> found = new ArrayList<>();
    clauses.whereBehind(columns.to()).ifPresent(where -> found.addAll(clauses.conjuncts(where)));
    clauses
        .joins()
        .innerConditions(columns.from())
        .forEach(on -> found.addAll(clauses.conjuncts(on)));
    return found;
  }

  /** What holds, operand by operand, for each joined row that this table's row is a part of. */
  List<Clauses.Range> all() {
    return conjuncts;
  }

  /** Conditions over this table's row alone. */
  List<Clauses.Range> own() {
    return conjuncts.stream().filter(this::isOwn).toList();
  }

  /** Whether a token means a column of one table, and not of a join's result. */
  private boolean isColumn(TableColumns table, int token) {
    return table.isColumn(token) && !merged.isMerged(token);
  }

  private boolean isOwn(Clauses.Range condition) {
    if (condition.to() - condition.from() == 1 && tokens.isWord(condition.from(), "true")) {
      return false;
    }
    List<Clauses.Range> nested = clauses.subqueries(condition);
    if (nested.isEmpty()) {
      return isOver(condition, i -> isColumn(columns, i)) && onlyReads(condition);
    }
    Predicate<Integer> covered = i -> nested.stream().anyMatch(r -> r.from() <= i && i < r.to());
    return !clauses.has("with")
        && facts.local().isEmpty()
        && !facts.undeclared()
        && onlyRead(condition, Set.of(Kind.READ_ONLY, Kind.AGGREGATE))
        && isOver(condition, i -> covered.test(i) || isColumn(columns, i))
        && nested.stream().allMatch(query -> staysOnShard(query, followers(condition, query)));
  }

  // --- subqueries ------------------------------------------------------------------------------

  /**
   * The tables whose rows follow this table's row, and where the condition is that its key is among
   * the keys of another table, the one whose row has the same key, with those that follow that.
   */
  private Set<Integer> followers(Clauses.Range condition, Clauses.Range subquery) {
    Set<Integer> all = new HashSet<>(followersOf(use));
    KeyMembership.table(input, subqueries, facts, use, condition, subquery)
        .ifPresent(
            member -> {
              all.add(member.place().token());
              all.addAll(followersOf(member));
            });
    return all;
  }

  private Set<Integer> followersOf(TableUse table) {
    return facts.follows().getOrDefault(table.place().token(), Set.of());
  }

  private boolean staysOnShard(Clauses.Range subquery, Set<Integer> followers) {
    List<TablePlace> inside = tables().filter(t -> isIn(t, subquery)).toList();
    boolean there =
        facts.sharded().stream()
            .filter(u -> isIn(u.at(), subquery))
            .allMatch(u -> followers.contains(u.place().token()));
    return there
        && StaleCopies.of(input, facts.references()).tables().isEmpty()
        && inside.stream().noneMatch(t -> t.place().renamed())
        && subqueries.hasOnlyOwnAggregates(subquery)
        && namesOnly(subquery, inside);
  }

  private Stream<TablePlace> tables() {
    return Stream.concat(facts.sharded().stream().map(TableUse::at), facts.copies().stream());
  }

  private static boolean isIn(TablePlace table, Clauses.Range range) {
    return range.from() <= table.place().token() && table.place().token() < range.to();
  }

  /** Every name is a column of the subquery's tables or of this one, or such a table itself. */
  private boolean namesOnly(Clauses.Range subquery, List<TablePlace> inside) {
    return new InnerNames(input, subqueries, inside).only(subquery, i -> isColumn(columns, i));
  }

  // --- partners --------------------------------------------------------------------------------

  /** EXISTS over tables that have been chosen by conditions of their own. */
  Optional<TextTemplate> partners() {
    if (conjuncts.isEmpty() || !StaleCopies.of(input, facts.references()).tables().isEmpty()) {
      return Optional.empty();
    }
    List<Link> links = links();
    Set<TableColumns> joined = connected(links);
    prune(joined, links);
    if (joined.isEmpty()) {
      return Optional.empty();
    }
    TextTemplate.Builder text = new TextTemplate.Builder();
    String separator = "EXISTS (SELECT FROM ";
    for (TableColumns table : joined) {
      text.add(separator + table.quoted() + " AS " + Identifiers.quote(table.alias()));
      separator = ", ";
    }
    separator = " WHERE (";
    for (Link link : links) {
      if (link.isAmong(joined, columns)) {
        text.add(separator).add(link.condition()).add(")");
        separator = " AND (";
      }
    }
    return Optional.of(text.add(")").build());
  }

  /** A condition over some tables of the clause. */
  private record Link(Clauses.Range condition, Set<TableColumns> tables) {
    /** Not over the table itself alone, which needs no partner. */
    boolean isAmong(Set<TableColumns> partners, TableColumns self) {
      return !tables.equals(Set.of(self))
          && tables.stream().allMatch(t -> t.equals(self) || partners.contains(t));
    }
  }

  private List<Link> links() {
    Set<Integer> followers = followersOf(use);
    Set<Integer> sharded =
        facts.sharded().stream().map(u -> u.place().token()).collect(Collectors.toSet());
    List<TableColumns> members = new ArrayList<>();
    members.add(columns);
    Set<String> aliases = new HashSet<>(Set.of(columns.alias()));
    boolean ambiguous = false;
    for (TablePlace table : tables().toList()) {
      int token = table.place().token();
      if (table.place().block() != use.place().block() || token == use.place().token()) {
        continue;
      }
      ambiguous |= !aliases.add(table.alias());
      boolean near = !sharded.contains(token) || followers.contains(token);
      if (near
          && !table.place().nullable()
          && !table.place().renamed()
          && TableColumns.areReadable(input, table)) {
        members.add(new TableColumns(input, table));
      }
    }
    List<Link> links = new ArrayList<>();
    for (Clauses.Range condition : ambiguous ? List.<Clauses.Range>of() : conjuncts) {
      Set<TableColumns> named = named(condition, members);
      if (named != null && !named.isEmpty() && onlyReads(condition)) {
        links.add(new Link(condition, named));
      }
    }
    return links;
  }

  /** The members that a condition is over; null where it is over anything else, too. */
  private @Nullable Set<TableColumns> named(Clauses.Range condition, List<TableColumns> members) {
    if (!clauses.subqueries(condition).isEmpty()) {
      return null;
    }
    Set<TableColumns> named = new LinkedHashSet<>();
    boolean all =
        isOver(
            condition,
            i -> {
              List<TableColumns> owners = members.stream().filter(m -> isColumn(m, i)).toList();
              named.addAll(owners);
              return owners.size() == 1;
            });
    return all ? named : null;
  }

  private Set<TableColumns> connected(List<Link> links) {
    Set<TableColumns> found = new LinkedHashSet<>(Set.of(columns));
    boolean progress = true;
    while (progress) {
      progress = false;
      for (Link link : links) {
        if (link.tables().stream().anyMatch(found::contains)) {
          progress |= found.addAll(link.tables());
        }
      }
    }
    found.remove(columns);
    return found;
  }

  /** Without those that choose nothing: no condition of their own, and joined with one other. */
  private void prune(Set<TableColumns> joined, List<Link> links) {
    boolean progress = true;
    while (progress) {
      progress =
          joined.removeIf(
              table ->
                  links.stream().noneMatch(l -> l.tables().equals(Set.of(table)))
                      && neighbours(table, joined, links) < 2);
    }
  }

  private long neighbours(TableColumns table, Set<TableColumns> joined, List<Link> links) {
    return links.stream()
        .filter(l -> l.tables().contains(table) && l.isAmong(joined, columns))
        .flatMap(l -> l.tables().stream())
        .filter(t -> !t.equals(table))
        .distinct()
        .count();
  }

  // --- conditions ------------------------------------------------------------------------------

  private boolean isOver(Clauses.Range condition, Predicate<Integer> known) {
    return IntStream.range(condition.from(), condition.to())
        .filter(i -> tokens.kind(i).isName())
        .allMatch(i -> isHarmless(i) || known.test(i));
  }

  /** Whether all functions that the tokens call are read-only and change with no row. */
  boolean onlyReads(Clauses.Range range) {
    return onlyRead(range, Set.of(Kind.READ_ONLY));
  }

  private boolean onlyRead(Clauses.Range range, Set<Kind> kinds) {
    return FunctionCalls.in(tokens.range(range.from(), range.to())).stream()
        .allMatch(call -> kinds.contains(input.kind(call)));
  }

  /** A keyword of an expression, a function's name, or a type's behind a cast. */
  private boolean isHarmless(int i) {
    if (tokens.isSymbol(i - 1, "::") || tokens.isWord(i - 1, "as")) {
      return true;
    }
    if (tokens.isSymbol(i + 1, "(") && !tokens.isSymbol(i - 1, ".")) {
      return true;
    }
    return clauses.isExpressionWord(i);
  }
}
