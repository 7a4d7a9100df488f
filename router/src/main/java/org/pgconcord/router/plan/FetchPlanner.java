package org.pgconcord.router.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.pgconcord.config.topology.Placement;
import org.pgconcord.config.topology.ShardGroup;
import org.pgconcord.config.value.Identifiers;
import org.pgconcord.router.analyse.ReadFacts;
import org.pgconcord.router.analyse.TableUse;
import org.pgconcord.router.sql.Clauses;
import org.pgconcord.router.sql.Names;
import org.pgconcord.router.sql.TextTemplate;
import org.pgconcord.router.sql.Tokens;

/**
 * The rows of one sharded table that a gathered query needs. A condition is sent along when a row
 * that does not meet it cannot matter ({@link BlockConditions}), which the finishing query then
 * finds once more. Of a query over this table alone the whole WHERE clause is sent.
 */
final class FetchPlanner implements Source {
  private final PlanInput input;
  private final ReadFacts facts;
  private final TableUse use;
  private final TableColumns columns;
  private final BlockConditions conditions;
  private final List<LookupRead> lookups;

  FetchPlanner(PlanInput input, ReadFacts facts, TableUse use, FetchIndexes indexes) {
    this.input = input;
    this.facts = facts;
    this.use = use;
    this.columns = new TableColumns(input, use.at());
    this.conditions = new BlockConditions(input, facts, use, columns);
    this.lookups = indexes.of(use);
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
        narrowed(),
        new TextTemplate.Builder().build());
  }

  @Override
  public Fetch fetch(TextTemplate select, List<Fetch.Column> fetched, TextTemplate tail) {
    List<TextTemplate> where =
        input.clauses().topLevelWhere().stream()
            .map(range -> new TextTemplate.Builder().add(range).build())
            .toList();
    return of(select, fetched, where, tail);
  }

  private List<TextTemplate> narrowed() {
    List<TextTemplate> all = new ArrayList<>();
    conditions.own().forEach(range -> all.add(new TextTemplate.Builder().add(range).build()));
    conditions.partners().ifPresent(all::add);
    return all;
  }

  private Fetch of(
      TextTemplate select,
      List<Fetch.Column> fetched,
      List<TextTemplate> where,
      TextTemplate tail) {
    TextTemplate rows =
        new TextTemplate.Builder()
            .add(select)
            .add(" FROM " + use.table().name().quoted() + " AS " + Identifiers.quote(use.alias()))
            .build();
    Set<String> names = fetched.stream().map(Fetch.Column::name).collect(Collectors.toSet());
    return new Fetch(
        use.table().name(),
        group(),
        binding(),
        lookups,
        new Fetch.Statement(rows, where, tail),
        fetched,
        columns.from(),
        columns.to(),
        columns.writtenAlias(),
        columns.schemas(),
        columns.dependent(names).stream().toList(),
        Optional.empty(),
        Optional.empty());
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

  @Override
  public boolean onlyReads(Clauses.Range range) {
    return conditions.onlyReads(range);
  }
}
