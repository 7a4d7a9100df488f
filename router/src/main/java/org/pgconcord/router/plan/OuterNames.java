package org.pgconcord.router.plan;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.pgconcord.router.analyse.DeclaredTable;
import org.pgconcord.router.analyse.Relation;
import org.pgconcord.router.sql.Clauses;
import org.pgconcord.router.sql.FromView;
import org.pgconcord.router.sql.ItemView;
import org.pgconcord.router.sql.Names;
import org.pgconcord.router.sql.QueryView;
import org.pgconcord.router.sql.StatementText;
import org.pgconcord.router.sql.StatementView;
import org.pgconcord.router.sql.Tokens;

/**
 * Whether a subquery names columns of the statement around it. In doubt it does not, and PostgreSQL
 * says that there is no such column when the subquery runs by itself.
 */
final class OuterNames {
  private final PlanInput input;
  private final FoundTarget target;
  private final Set<String> outer = new HashSet<>();

  OuterNames(PlanInput input, StatementView view, FoundTarget target) {
    this.input = input;
    this.target = target;
    view.scope().blocks().stream().flatMap(b -> b.from().stream()).forEach(f -> add(f, outer));
  }

  private static void add(FromView item, Set<String> aliases) {
    if (item instanceof FromView.Named named) {
      aliases.add(named.alias());
    } else if (item instanceof FromView.Derived derived) {
      aliases.add(derived.alias());
    } else if (item instanceof FromView.Computed computed) {
      aliases.add(computed.alias());
    } else if (item instanceof FromView.Joined joined) {
      add(joined.left(), aliases);
      add(joined.right(), aliases);
    }
  }

  boolean areIn(Clauses.Range query) {
    Inner inner = new Inner();
    inner.query(FoundQuery.read(StatementText.one(FoundQuery.of(query).text(input.text())), input));
    Tokens tokens = input.tokens();
    return IntStream.range(query.from(), query.to())
        .filter(i -> tokens.kind(i).isName() && !tokens.isSymbol(i - 1, "."))
        .anyMatch(
            i ->
                tokens.isSymbol(i + 1, ".")
                    ? isOuter(Names.of(tokens, i), inner)
                    : !tokens.isSymbol(i + 1, "(") && isTargets(Names.of(tokens, i), inner));
  }

  private boolean isOuter(String qualifier, Inner inner) {
    return outer.contains(qualifier) && !inner.names.contains(qualifier);
  }

  private boolean isTargets(String column, Inner inner) {
    return target.has(column)
        && !inner.unknown
        && !inner.names.contains(column)
        && inner.tables.stream().noneMatch(table -> table.hasColumn(column));
  }

  /** What is named within the subquery, at any level. */
  private final class Inner {
    private final Set<String> names = new HashSet<>();
    private final List<DeclaredTable> tables = new ArrayList<>();
    private boolean unknown;

    void query(QueryView query) {
      query.with().forEach(cte -> names.add(cte.name()));
      Stream.concat(query.with().stream().map(QueryView.Cte::query), query.nested().stream())
          .forEach(this::query);
      for (QueryView.Block block : query.blocks()) {
        block.nested().forEach(this::query);
        block.from().forEach(this::item);
        block.items().orElse(List.of()).stream()
            .filter(
                item ->
                    !(item instanceof ItemView.Plain plain)
                        || !plain.label().equals(plain.column().name()))
            .map(ItemView::label)
            .forEach(names::add);
      }
    }

    private void item(FromView item) {
      add(item, names);
      if (item instanceof FromView.Named named) {
        if (input.names().find(named.name()) instanceof Relation.Declared declared) {
          tables.add(declared.table());
        } else {
          unknown = true;
        }
        unknown |= named.renamed();
      } else if (item instanceof FromView.Derived derived) {
        unknown |= derived.renamed();
        query(derived.query());
      } else if (item instanceof FromView.Joined joined) {
        item(joined.left());
        item(joined.right());
      } else {
        unknown = true;
      }
    }
  }
}
