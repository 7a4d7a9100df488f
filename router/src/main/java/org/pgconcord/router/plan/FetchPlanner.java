package org.pgconcord.router.plan;

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
import org.pgconcord.router.sql.TextTemplate;
import org.pgconcord.router.sql.Tokens;

/**
 * The rows of one sharded table that a gathered query needs. A condition is sent along when a row
 * that does not meet it cannot matter, which the finishing query then finds once more: an operand
 * of the WHERE clause's AND chain over this table's columns alone, for a table whose columns no
 * outer join fills with NULLs. Of a query over this table alone the whole WHERE clause is.
 */
final class FetchPlanner implements Source {
  private final PlanInput input;
  private final ReadFacts facts;
  private final TableUse use;
  private final TableColumns columns;

  FetchPlanner(PlanInput input, ReadFacts facts, TableUse use) {
    this.input = input;
    this.facts = facts;
    this.use = use;
    this.columns = new TableColumns(input, use.at());
  }

  @Override
  public Optional<Fetch> plain() {
    return Optional.of(rows());
  }

  /** The rows as they are. */
  Fetch rows() {
    List<Item> items = columns.needed().stream().map(columns::item).toList();
    String list =
        items.isEmpty()
            ? "true"
            : items.stream().map(Item::qualified).collect(Collectors.joining(", "));
    List<Fetch.Column> fetched =
        items.isEmpty()
            ? List.of(computed("\"pgconcord_row\""))
            : items.stream().map(this::fetched).toList();
    return of(
        new TextTemplate.Builder().add("SELECT " + list).build(),
        fetched,
        conditions(),
        new TextTemplate.Builder().build());
  }

  @Override
  public Fetch fetch(TextTemplate select, List<Fetch.Column> fetched, TextTemplate tail) {
    return of(select, fetched, input.clauses().topLevelWhere().stream().toList(), tail);
  }

  private Fetch of(
      TextTemplate select,
      List<Fetch.Column> fetched,
      List<Clauses.Range> conditions,
      TextTemplate tail) {
    TextTemplate.Builder sql = new TextTemplate.Builder().add(select);
    sql.add(" FROM " + use.table().name().quoted() + " AS " + Identifiers.quote(use.alias()));
    String word = " WHERE (";
    for (Clauses.Range condition : conditions) {
      sql.add(word).add(condition).add(")");
      word = " AND (";
    }
    Set<String> names = fetched.stream().map(Fetch.Column::name).collect(Collectors.toSet());
    return new Fetch(
        use.table().name(),
        group(),
        binding(),
        sql.add(tail).build(),
        fetched,
        columns.from(),
        columns.to(),
        columns.writtenAlias(),
        columns.schemas(),
        columns.dependent(names).stream().toList());
  }

  private ShardGroup group() {
    return ((Placement.Sharded) use.table().placement()).group();
  }

  private Optional<ShardBinding> binding() {
    if (!use.pinned()) {
      return Optional.empty();
    }
    return Optional.of(
        new ShardBinding(
            new Bindings(input).compared(facts, List.of(use)),
            group().shards().get(0),
            Optional.empty()));
  }

  // --- columns ---------------------------------------------------------------------------------

  @Override
  public List<Item> needed(Clauses.Range range, Set<Integer> without) {
    return columns.needed(range, without).stream().map(columns::item).toList();
  }

  @Override
  public boolean hasColumn(String name) {
    return columns.has(name);
  }

  /**
   * {@code (u).f} and {@code u.f} can be calls of a function, an aggregate perhaps, over all rows.
   */
  @Override
  public boolean namesColumnsOnly() {
    Tokens tokens = input.tokens();
    for (int i = 2; i < tokens.size(); i++) {
      boolean behindDot =
          tokens.kind(i).isName()
              && tokens.isSymbol(i - 1, ".")
              && !tokens.isSymbol(i + 1, "(")
              && (i < columns.from() || i >= columns.to());
      if (behindDot && (!tokens.kind(i - 2).isName() || !columns.has(Names.of(tokens, i)))) {
        return false;
      }
    }
    return true;
  }

  /** Whether columns are named with the table's schema, which only its own rows have. */
  boolean namesSchema() {
    return !columns.schemas().isEmpty();
  }

  @Override
  public Fetch.Column fetched(Item item) {
    return new Fetch.Column(
        Identifiers.quote(item.column().name()), TableColumns.cast(item.column()), "");
  }

  @Override
  public Fetch.Column computed(String name) {
    return new Fetch.Column(name, "", "");
  }

  // --- conditions ------------------------------------------------------------------------------

  @Override
  public List<Clauses.Range> applied() {
    return input
        .clauses()
        .topLevelWhere()
        .map(w -> List.of(new Clauses.Range(w.from() - 1, w.to())))
        .orElse(List.of());
  }

  @Override
  public List<Clauses.Range> gone() {
    return applied();
  }

  private List<Clauses.Range> conditions() {
    Optional<Clauses.Range> where = input.clauses().whereBehind(columns.to());
    if (use.place().nullable()
        || use.place().renamed()
        || where.isEmpty()
        || input.clauses().has("using", "natural")) {
      return List.of();
    }
    return input.clauses().conjuncts(where.get()).stream().filter(this::isOwn).toList();
  }

  /** Over this table's columns alone, and with the same answer here and there. */
  private boolean isOwn(Clauses.Range condition) {
    Tokens tokens = input.tokens();
    return Stream.iterate(condition.from(), i -> i < condition.to(), i -> i + 1)
            .filter(i -> tokens.kind(i).isName())
            .allMatch(i -> isHarmless(i) || columns.isColumn(i))
        && onlyReads(condition);
  }

  /** Whether all functions that the tokens call are read-only and change with no row. */
  @Override
  public boolean onlyReads(Clauses.Range range) {
    return FunctionCalls.in(input.tokens().range(range.from(), range.to())).stream()
        .allMatch(call -> input.kind(call) == Kind.READ_ONLY);
  }

  /** A keyword of an expression, a function's name, or a type's behind a cast. */
  private boolean isHarmless(int i) {
    Tokens tokens = input.tokens();
    if (tokens.isSymbol(i - 1, "::") || tokens.isWord(i - 1, "as")) {
      return true;
    }
    if (tokens.isSymbol(i + 1, "(") && !tokens.isSymbol(i - 1, ".")) {
      return !tokens.isAnyWord(i, "exists", "select", "any", "all", "some", "in")
          || !holdsQuery(i + 1);
    }
    return input.clauses().isExpressionWord(i);
  }

  private boolean holdsQuery(int open) {
    int close = input.clauses().partner(open);
    for (int i = open; i < close; i++) {
      if (input.tokens().isAnyWord(i, "select", "values", "table")) {
        return true;
      }
    }
    return close < 0;
  }
}
