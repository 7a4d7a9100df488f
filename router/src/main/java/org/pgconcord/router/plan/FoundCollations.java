package org.pgconcord.router.plan;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.pgconcord.config.schema.Column;
import org.pgconcord.router.analyse.DeclaredTable;
import org.pgconcord.router.analyse.Relation;
import org.pgconcord.router.sql.Clauses;
import org.pgconcord.router.sql.FromView;
import org.pgconcord.router.sql.ItemView;
import org.pgconcord.router.sql.Names;
import org.pgconcord.router.sql.QueryView;
import org.pgconcord.router.sql.StatementText;
import org.pgconcord.router.sql.Tokens;

/**
 * Whether a query's texts may have collations of their own, which decide how one server compares
 * them, and which values as parameters do not have. A column that is compared with one of the same
 * collation loses nothing: that one keeps it.
 */
final class FoundCollations {
  private final PlanInput input;
  private final List<DeclaredTable> tables = new ArrayList<>();
  private final Set<String> ctes = new HashSet<>();
  private boolean unknown;

  FoundCollations(PlanInput input) {
    this.input = input;
  }

  /**
   * True where some column of the query may have one.
   *
   * @param compared the collations of the columns that those of the query are compared with
   */
  boolean areIn(StatementText text, QueryView query, List<Optional<String>> compared) {
    collect(query);
    List<ItemView> items = FoundQuery.items(query);
    boolean some =
        unknown || isWritten(text) || tables.stream().anyMatch(table -> readsOwn(table, text));
    return some
        && (items.isEmpty()
            || IntStream.range(0, items.size())
                .anyMatch(
                    i ->
                        mayHave(
                            items.get(i),
                            i < compared.size() ? compared.get(i) : Optional.empty())));
  }

  private void collect(QueryView query) {
    query.with().forEach(cte -> ctes.add(cte.name()));
    Stream.concat(query.with().stream().map(QueryView.Cte::query), query.nested().stream())
        .forEach(this::collect);
    for (QueryView.Block block : query.blocks()) {
      block.nested().forEach(this::collect);
      block.from().forEach(this::item);
    }
  }

  private void item(FromView item) {
    if (item instanceof FromView.Named named) {
      if (input.names().find(named.name()) instanceof Relation.Declared declared
          && declared.table().schema().isPresent()) {
        tables.add(declared.table());
      } else {
        unknown |= named.name().size() > 1 || !ctes.contains(named.name().get(0));
      }
    } else if (item instanceof FromView.Derived derived) {
      collect(derived.query());
    } else if (item instanceof FromView.Joined joined) {
      item(joined.left());
      item(joined.right());
    }
  }

  /** COLLATE anywhere but in the order of the query's rows. */
  private static boolean isWritten(StatementText text) {
    Clauses clauses = new Clauses(text.tokens());
    int order = clauses.topLevel(0, "order");
    return IntStream.range(0, order).anyMatch(i -> clauses.isKeyword(i, "collate"));
  }

  /** A column with one is named, or may be meant by a star. */
  private static boolean readsOwn(DeclaredTable table, StatementText text) {
    Tokens tokens = text.tokens();
    Set<String> own =
        table.schema().stream()
            .flatMap(s -> s.columns().stream())
            .filter(c -> own(c).isPresent())
            .map(Column::name)
            .collect(Collectors.toSet());
    return !own.isEmpty()
        && IntStream.range(0, tokens.size())
            .anyMatch(
                i ->
                    tokens.kind(i).isName()
                        ? own.contains(Names.of(tokens, i))
                        : tokens.isSymbol(i, "*") && !tokens.isSymbol(i - 1, "("));
  }

  /** The collation of a column that its type does not have by itself. */
  private static Optional<String> own(Column column) {
    return Optional.ofNullable(column.collation())
        .filter(c -> !c.equals("default") && !column.base().type().equals("name"));
  }

  private boolean mayHave(ItemView item, Optional<String> compared) {
    if (item instanceof ItemView.Constant) {
      return false;
    }
    if (!(item instanceof ItemView.Plain plain) || unknown || !ctes.isEmpty()) {
      return true;
    }
    List<Column> columns =
        tables.stream()
            .flatMap(t -> t.schema().stream())
            .flatMap(s -> s.column(plain.column().name()).stream())
            .toList();
    return columns.isEmpty()
        || columns.stream().anyMatch(c -> own(c).isPresent() && !Objects.equals(own(c), compared));
  }

  /** Of the columns of the target that are compared in order. */
  static List<Optional<String>> compared(Found found, FoundTarget target) {
    return found instanceof FoundList list
        ? list.keys().equal().stream()
            .map(equal -> target.column(equal.named()).flatMap(FoundCollations::own))
            .toList()
        : List.of();
  }
}
