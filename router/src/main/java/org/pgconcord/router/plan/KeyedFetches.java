package org.pgconcord.router.plan;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.pgconcord.config.schema.Column;
import org.pgconcord.config.sharding.ShardLocator;
import org.pgconcord.config.topology.KeyFunction;
import org.pgconcord.config.value.Identifiers;
import org.pgconcord.router.analyse.DeclaredTable;
import org.pgconcord.router.analyse.ReadFacts;
import org.pgconcord.router.analyse.TablePlace;
import org.pgconcord.router.analyse.TableUse;
import org.pgconcord.router.sql.Clauses;
import org.pgconcord.router.sql.Names;
import org.pgconcord.router.sql.Tokens;

/**
 * Fetches that wait for another one and ask for its keys alone: a join over shards whose one side
 * has been chosen, and whose other side has not.
 *
 * <p><b>Claim.</b> A row of table U matters only by joined rows that meet {@code t.a = u.b}, where
 * that is an operand of an AND chain that all of them pass ({@link BlockConditions}), and neither
 * table is filled with NULLs. The joined row has a row of T that matters, and those have all been
 * fetched. So u.b is one of their values of a, by the same operator: the columns are of one type of
 * PostgreSQL's own, or both of them integers, and not of a collation under which different texts
 * are equal. A value that is NULL is equal to none.
 *
 * <p>T is one that conditions of its own, or its key, choose rows of, and U has none; the other way
 * round nothing would be saved, and where both have, neither is known to be the smaller. When T
 * turns out to have more than {@link Fetch#MOST_KEYS} keys, U is fetched as without it.
 *
 * <p>Where u.b is U's shard key only the shards of these values are asked. That is worth waiting
 * for although U has conditions: in {@code u.b = (SELECT t.a FROM t ...)}, and where an index names
 * the row of T.
 */
final class KeyedFetches {
  private static final Set<Integer> INTEGERS = Set.of(20, 21, 23);

  /** text, varchar, char(n), date, timestamp, timestamptz, numeric, uuid. */
  private static final Set<Integer> OTHERS = Set.of(25, 1043, 1042, 1082, 1114, 1184, 1700, 2950);

  /** text, varchar, uuid. */
  private static final Set<Integer> ROUTED = Set.of(25, 1043, 2950);

  private final PlanInput input;
  private final Tokens tokens;
  private final ReadFacts facts;
  private final MergedColumns merged;

  KeyedFetches(PlanInput input, ReadFacts facts) {
    this.input = input;
    this.tokens = input.tokens();
    this.facts = facts;
    this.merged = new MergedColumns(input);
  }

  /** The fetches, one for each sharded table in their order, some of them with keys. */
  List<Fetch> of(List<Fetch> fetches) {
    List<Fetch> keyed = new ArrayList<>(fetches);
    Set<Integer> chosen = new HashSet<>();
    for (int i = 0; i < fetches.size(); i++) {
      if (fetches.get(i).isNarrowed() || facts.sharded().get(i).pinned()) {
        chosen.add(i);
      }
    }
    routed(keyed, Set.copyOf(chosen));
    boolean progress = true;
    while (progress) {
      progress = false;
      for (int i = 0; i < fetches.size(); i++) {
        boolean settled = chosen.contains(i) || keyed.get(i).keys().isPresent();
        Optional<Fetch.Keys> keys = settled ? Optional.empty() : keys(i, chosen);
        if (keys.isPresent()) {
          keyed.set(i, fetches.get(i).withKeys(keys.get()));
          chosen.add(i);
          progress = true;
        }
      }
    }
    return keyed;
  }

  /**
   * Tables whose shard key is that of rows of a chosen table, though they have conditions of their
   * own, too: by a subquery, or where an index names the other's row. None waits for one that waits
   * itself.
   */
  private void routed(List<Fetch> fetches, Set<Integer> chosen) {
    Set<Integer> sources = new HashSet<>();
    for (int i = 0; i < fetches.size(); i++) {
      Fetch fetch = fetches.get(i);
      TableUse use = facts.sharded().get(i);
      if (sources.contains(i) || use.pinned() || !fetch.lookups().isEmpty()) {
        continue;
      }
      for (int source : chosen) {
        boolean free = source != i && fetches.get(source).keys().isEmpty();
        Optional<Fetch.Keys> keys =
            free ? routing(use, source, fetches.get(source)) : Optional.empty();
        if (keys.isPresent()) {
          fetches.set(i, fetch.withKeys(keys.get()));
          sources.add(source);
          break;
        }
      }
    }
  }

  private Optional<Fetch.Keys> routing(TableUse use, int source, Fetch from) {
    boolean one = from.lookups().stream().anyMatch(l -> l.index().gsi().unique());
    return conditions(use).stream()
        .flatMap(
            condition ->
                membership(condition, use, source)
                    .or(() -> one ? keys(condition, use, source) : Optional.empty())
                    .stream())
        .filter(keys -> keys.route().isPresent())
        .filter(keys -> hasFewShards(source, from) || !isNear(keys, use, source))
        .findFirst();
  }

  private boolean hasFewShards(int source, Fetch from) {
    return facts.sharded().get(source).pinned() || !from.lookups().isEmpty();
  }

  /** The keys are those of rows on the same shards, where the condition itself has been sent. */
  private boolean isNear(Fetch.Keys keys, TableUse use, int source) {
    DeclaredTable.ShardKey other = facts.sharded().get(source).key();
    return use.key().colocatedWith(other)
        && keys.column().equals(Identifiers.quote(other.columns().get(0).name()));
  }

  private List<Clauses.Range> conditions(TableUse use) {
    return new BlockConditions(input, facts, use, new TableColumns(input, use.at())).all();
  }

  /**
   * {@code t.a IN (SELECT u.b ...)} or {@code t.a = (SELECT u.b ...)}: whatever else the subquery
   * does, what it gives are values of its rows of U. Several of them behind {@code =} are an error,
   * if a row of T is there to be compared.
   */
  private Optional<Fetch.Keys> membership(Clauses.Range condition, TableUse use, int source) {
    TableUse from = facts.sharded().get(source);
    List<Clauses.Range> nested = input.clauses().subqueries(condition);
    int open = nested.isEmpty() ? 0 : nested.get(0).from() - 1;
    boolean whole =
        nested.size() == 1
            && nested.get(0).to() + 1 == condition.to()
            && (tokens.isWord(open - 1, "in") || tokens.isSymbol(open - 1, "="))
            && tokens.isWord(open + 1, "select")
            && input.clauses().next(nested.get(0), "union", "intersect", "except")
                == nested.get(0).to();
    if (!whole || from.place().nullable() || from.place().renamed()) {
      return Optional.empty();
    }
    Clauses.Range subquery = nested.get(0);
    int token = from.place().token();
    boolean inside =
        subquery.from() <= token
            && token < subquery.to()
            && new Subqueries(input, facts).innermost(token).equals(subquery);
    int first = tokens.isWord(open + 2, "distinct") ? open + 3 : open + 2;
    Clauses.Range item = new Clauses.Range(first, input.clauses().next(subquery, "from"));
    Clauses.Range left = new Clauses.Range(condition.from(), open - 1);
    return inside && item.from() < item.to()
        ? keys(column(left, use), column(item, from), use, source)
            .map(
                keys -> tokens.isSymbol(open - 1, "=") && !isOne(subquery) ? keys.ofOneRow() : keys)
        : Optional.empty();
  }

  /** It ends with LIMIT 1. */
  private boolean isOne(Clauses.Range subquery) {
    return tokens.isWord(subquery.to() - 2, "limit") && tokens.text(subquery.to() - 1).equals("1");
  }

  private Optional<Fetch.Keys> keys(int target, Set<Integer> chosen) {
    TableUse use = facts.sharded().get(target);
    for (Clauses.Range condition : conditions(use)) {
      for (int source : chosen) {
        Optional<Fetch.Keys> keys =
            keys(condition, use, source).or(() -> membership(condition, use, source));
        if (keys.isPresent()) {
          return keys;
        }
      }
    }
    return Optional.empty();
  }

  private Optional<Fetch.Keys> keys(Clauses.Range condition, TableUse use, int source) {
    TableUse from = facts.sharded().get(source);
    int equals = condition.from();
    while (equals < condition.to() && !tokens.isSymbol(equals, "=")) {
      equals++;
    }
    if (from.place().block() != use.place().block()
        || from.place().nullable()
        || from.place().renamed()) {
      return Optional.empty();
    }
    Clauses.Range left = new Clauses.Range(condition.from(), equals);
    Clauses.Range right = new Clauses.Range(Math.min(equals + 1, condition.to()), condition.to());
    return keys(column(left, use), column(right, from), use, source)
        .or(() -> keys(column(right, use), column(left, from), use, source));
  }

  private static Optional<Fetch.Keys> keys(
      Optional<Column> target, Optional<Column> key, TableUse use, int source) {
    boolean alike = target.isPresent() && key.isPresent() && areCompared(target.get(), key.get());
    return alike
        ? Optional.of(
            new Fetch.Keys(
                source,
                Identifiers.quote(key.get().name()),
                Identifiers.quote(use.alias()) + "." + Identifiers.quote(target.get().name()),
                route(target.get(), key.get(), use),
                false))
        : Optional.empty();
  }

  /** Values that are read as they are compared: integers, texts and uuids. */
  private static Optional<ShardLocator> route(Column target, Column key, TableUse use) {
    boolean lone =
        use.key().columns().size() == 1
            && use.key().position(target.name()) == 0
            && use.key().placement().index().function(target.name()) == KeyFunction.NONE;
    return lone && (INTEGERS.contains(key.typeOid()) || ROUTED.contains(key.typeOid()))
        ? Optional.of(use.key().locator())
        : Optional.empty();
  }

  private static boolean areCompared(Column one, Column other) {
    return one.deterministic()
        && other.deterministic()
        && ((INTEGERS.contains(one.typeOid()) && INTEGERS.contains(other.typeOid()))
            || (one.typeOid() == other.typeOid() && OTHERS.contains(one.typeOid())));
  }

  /** The column of a table that is all of the range. */
  private Optional<Column> column(Clauses.Range range, TableUse use) {
    int last = range.to() - 1;
    int length = range.to() - range.from();
    if ((length != 1 && length != 3) || !tokens.kind(last).isName()) {
      return Optional.empty();
    }
    String name = Names.of(tokens, last);
    boolean own =
        length == 3
            ? tokens.isSymbol(last - 1, ".")
                && tokens.kind(last - 2).isName()
                && Names.of(tokens, last - 2).equals(use.alias())
            : !merged.isMerged(last)
                && neighbours(use).filter(t -> t.table().hasColumn(name)).count() == 1;
    return own ? use.table().schema().flatMap(s -> s.column(name)) : Optional.empty();
  }

  private Stream<TablePlace> neighbours(TableUse use) {
    return Stream.concat(facts.sharded().stream().map(TableUse::at), facts.copies().stream())
        .filter(t -> t.place().block() == use.place().block());
  }
}
