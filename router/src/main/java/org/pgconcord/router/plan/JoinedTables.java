package org.pgconcord.router.plan;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.pgconcord.config.topology.Placement;
import org.pgconcord.config.topology.ShardGroup;
import org.pgconcord.config.value.Identifiers;
import org.pgconcord.router.analyse.FunctionCalls;
import org.pgconcord.router.analyse.KnownFunctions.Kind;
import org.pgconcord.router.analyse.ReadFacts;
import org.pgconcord.router.analyse.TableUse;
import org.pgconcord.router.sql.Clauses;
import org.pgconcord.router.sql.Names;
import org.pgconcord.router.sql.SqlEdit;
import org.pgconcord.router.sql.TextTemplate;
import org.pgconcord.router.sql.Tokens;

/**
 * Tables whose rows meet on their shards: each row of the FROM clause comes from rows of one shard
 * and of reference tables, and what a subquery sees for it too. The shards together therefore make
 * the rows that one server would, and are sent FROM and WHERE as they are written; the fetched rows
 * stand in for both. The finishing query knows each table by its name again, as the columns of the
 * joined row that are the table's.
 */
final class JoinedTables implements Source {
  /** What partial results, which are no table's, are found under. */
  private static final String NO_TABLE = "pgconcord_partial";

  private final PlanInput input;
  private final ReadFacts facts;
  private final Subqueries subqueries;
  private final FetchIndexes indexes;
  private final Clauses.Range source;
  private final MergedColumns merged;

  /** In the order of FROM. */
  private final List<TableColumns> tables;

  private JoinedTables(
      PlanInput input,
      ReadFacts facts,
      Subqueries subqueries,
      FetchIndexes indexes,
      Clauses.Range source) {
    this.input = input;
    this.facts = facts;
    this.subqueries = subqueries;
    this.indexes = indexes;
    this.source = source;
    this.merged = new MergedColumns(input);
    this.tables =
        Stream.concat(facts.sharded().stream().map(TableUse::at), facts.copies().stream())
            .filter(use -> !subqueries.cover(use.place().token()))
            .map(use -> new TableColumns(input, use))
            .sorted(Comparator.comparing(TableColumns::from))
            .toList();
  }

  /** For a query of one block; empty when its rows cannot be put together so. */
  static Optional<JoinedTables> of(PlanInput input, ReadFacts facts, FetchIndexes indexes) {
    Subqueries subqueries = new Subqueries(input, facts);
    Optional<Clauses.Range> source = input.clauses().topLevelSource();
    boolean meet =
        facts.byShard()
            && facts.local().isEmpty()
            && source.isPresent()
            && subqueries.selectsOutside() == 1
            && subqueries.areOfOneShard()
            && !subqueries.isOutside("natural")
            && !(subqueries.isOutside("using") && subqueries.isOutside("right", "full"))
            && facts.copies().stream().noneMatch(use -> use.place().renamed())
            && facts.sharded().stream().noneMatch(use -> use.place().renamed())
            && facts.sharded().stream().allMatch(use -> holds(source.get(), use));
    return meet
        ? Optional.of(new JoinedTables(input, facts, subqueries, indexes, source.get()))
            .filter(joined -> joined.isReadable())
        : Optional.empty();
  }

  /** A sharded table anywhere else would be looked for among the finishing shard's own rows. */
  private static boolean holds(Clauses.Range source, TableUse use) {
    return source.from() <= use.place().token() && use.place().token() < source.to();
  }

  private boolean isReadable() {
    Tokens tokens = input.tokens();
    boolean wholeRows = false;
    for (int i = 0; i < tokens.size(); i++) {
      int token = i;
      boolean outside = i < source.from() || i >= source.to();
      wholeRows |= outside && tables.stream().anyMatch(t -> t.isWholeRow(token));
    }
    return !wholeRows
        && namesColumnsOnly()
        && tables.stream().allMatch(t -> t.schemas().isEmpty())
        && tables.stream().map(TableColumns::alias).distinct().count() == tables.size()
        && merged.names().stream().allMatch(this::isUnambiguous);
  }

  // --- USING -----------------------------------------------------------------------------------

  /**
   * A column that USING merges is the left side's where no join keeps rows of its right side
   * without a match: that of the first table that has one, or the name would be ambiguous. The
   * other tables have theirs in the finishing query where the statement names it with its table;
   * both cannot be. Where their types differ the merged column has a third.
   */
  private boolean isUnambiguous(String column) {
    Tokens tokens = input.tokens();
    boolean named = false;
    for (int i = 0; i < tokens.size(); i++) {
      boolean outside = i < source.from() || i >= source.to();
      named |= outside && merged.isMerged(i) && Names.of(tokens, i).equals(column);
    }
    List<TableColumns> owners = tables.stream().filter(t -> t.has(column)).toList();
    return !named
        || (owners.stream().map(t -> typeOf(t, column)).distinct().count() < 2
            && owners.stream().skip(1).noneMatch(t -> isQualified(t, column)));
  }

  private static List<Object> typeOf(TableColumns table, String column) {
    return table
        .column(column)
        .<List<Object>>map(
            c -> List.of(c.typeOid(), c.type(), String.valueOf(c.collation()), c.deterministic()))
        .orElse(List.of());
  }

  private boolean isFirstWith(TableColumns table, String column) {
    return tables.stream().filter(t -> t.has(column)).findFirst().equals(Optional.of(table));
  }

  /** Whether the finishing query has the column with its table. */
  private boolean isQualified(TableColumns table, String column) {
    Tokens tokens = input.tokens();
    for (int i = 2; i < tokens.size(); i++) {
      boolean outside = i < source.from() || i >= source.to();
      if (outside
          && tokens.kind(i).isName()
          && tokens.isSymbol(i - 1, ".")
          && Names.of(tokens, i).equals(column)
          && tokens.kind(i - 2).isName()
          && Names.of(tokens, i - 2).equals(table.alias())) {
        return true;
      }
    }
    return false;
  }

  private boolean stands(TableColumns table, String column) {
    return !merged.names().contains(column)
        || isFirstWith(table, column)
        || isQualified(table, column);
  }

  @Override
  public Optional<Fetch> plain() {
    return Optional.empty();
  }

  @Override
  public List<Item> needed(Clauses.Range range, Set<Integer> without) {
    List<Item> items = new ArrayList<>();
    for (TableColumns table : tables) {
      table.needed(range, without).stream()
          .filter(column -> stands(table, column.name()))
          .forEach(column -> items.add(table.item(column)));
    }
    return items;
  }

  @Override
  public List<Clauses.Range> applied() {
    return List.of(source);
  }

  @Override
  public List<Clauses.Range> gone() {
    return List.of();
  }

  /** In what is left for the finishing query. */
  @Override
  public boolean namesColumnsOnly() {
    Tokens tokens = input.tokens();
    for (int i = 2; i < tokens.size(); i++) {
      boolean behindDot =
          tokens.kind(i).isName()
              && tokens.isSymbol(i - 1, ".")
              && !tokens.isSymbol(i + 1, "(")
              && (i < source.from() || i >= source.to())
              && !subqueries.cover(i);
      if (behindDot && !isColumn(i)) {
        return false;
      }
    }
    return true;
  }

  private boolean isColumn(int token) {
    Tokens tokens = input.tokens();
    return tokens.kind(token - 2).isName()
        && tables.stream()
            .filter(t -> t.alias().equals(Names.of(tokens, token - 2)))
            .anyMatch(t -> t.has(Names.of(tokens, token)));
  }

  @Override
  public boolean hasColumn(String name) {
    return tables.stream().anyMatch(t -> t.has(name));
  }

  /** Aggregates of subqueries read, too. */
  @Override
  public boolean onlyReads(Clauses.Range range) {
    return FunctionCalls.in(input.tokens().range(range.from(), range.to())).stream()
        .allMatch(call -> Set.of(Kind.READ_ONLY, Kind.AGGREGATE).contains(input.kind(call)));
  }

  @Override
  public Fetch.Column fetched(Item item) {
    return new Fetch.Column(
        Identifiers.quote(item.column().name()),
        TableColumns.cast(item.column()),
        Identifiers.quote(item.alias()));
  }

  @Override
  public Fetch.Column computed(String name) {
    return new Fetch.Column(name, "", NO_TABLE);
  }

  @Override
  public Fetch fetch(TextTemplate select, List<Fetch.Column> columns, TextTemplate tail) {
    Optional<Clauses.Range> where = input.clauses().topLevelWhere();
    Clauses.Range from =
        where.map(w -> new Clauses.Range(source.from(), w.from() - 1)).orElse(source);
    Fetch.Statement statement =
        new Fetch.Statement(
            new TextTemplate.Builder().add(select).add(" FROM ").add(from).build(),
            where.map(w -> new TextTemplate.Builder().add(w).build()).stream().toList(),
            tail);
    TableUse first = facts.sharded().get(0);
    return new Fetch(
        first.table().name(),
        group(first),
        binding(),
        lookups(),
        statement,
        columns,
        source.from(),
        source.to(),
        "",
        List.of(),
        dependent(columns),
        Optional.empty(),
        Optional.empty());
  }

  private List<SqlEdit> dependent(List<Fetch.Column> columns) {
    List<SqlEdit> edits = new ArrayList<>();
    for (TableColumns table : tables) {
      Set<String> names =
          columns.stream()
              .filter(c -> c.table().equals(Identifiers.quote(table.alias())))
              .map(Fetch.Column::name)
              .collect(Collectors.toCollection(HashSet::new));
      table.dependent(names).ifPresent(edits::add);
    }
    return edits;
  }

  /** Every row has a row of each of these tables, and so comes from a shard of theirs. */
  private Optional<ShardBinding> binding() {
    List<TableUse> pinned = members().filter(TableUse::pinned).toList();
    return pinned.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new ShardBinding(
                new Bindings(input).compared(facts, pinned),
                group(pinned.get(0)).shards().get(0),
                Optional.empty()));
  }

  /** The same argument: a row that matters has one of this table's rows that an index names. */
  private List<LookupRead> lookups() {
    return members()
        .map(indexes::of)
        .filter(lookups -> !lookups.isEmpty())
        .findFirst()
        .orElse(List.of());
  }

  private Stream<TableUse> members() {
    return facts.sharded().stream()
        .filter(u -> !u.place().nullable())
        .filter(u -> !subqueries.cover(u.place().token()));
  }

  private static ShardGroup group(TableUse use) {
    return ((Placement.Sharded) use.table().placement()).group();
  }
}
