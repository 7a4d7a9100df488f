package org.pgconcord.router.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.pgconcord.router.sql.Clauses;
import org.pgconcord.router.sql.FromView;
import org.pgconcord.router.sql.Names;
import org.pgconcord.router.sql.QueryView;
import org.pgconcord.router.sql.StatementView;
import org.pgconcord.router.sql.Tokens;

/**
 * Where a statement names one of its CTEs: as the parser has read it, and only if every token of
 * that name outside of the CTE is one of these places or a qualifier of columns. What is read of
 * the CTE must not become a table of that name.
 */
final class FoundMentions {
  private final Tokens tokens;
  private final StatementView view;
  private final String name;
  private final List<FoundTable.Mention> found = new ArrayList<>();
  private boolean unclear;

  FoundMentions(PlanInput input, StatementView view, String name) {
    this.tokens = input.tokens();
    this.view = view;
    this.name = name;
  }

  /**
   * All of them; none where they are not all certain.
   *
   * @param itself the CTE
   */
  List<FoundTable.Mention> all(Clauses.Range itself) {
    FromView.Named target = view.written().orElseThrow();
    QueryView scope = view.scope();
    scope.with().stream().skip(1).forEach(cte -> within(cte.query()));
    scope.nested().forEach(this::within);
    for (QueryView.Block block : scope.blocks()) {
      block.nested().forEach(this::within);
      for (FromView item : block.from()) {
        boolean isTarget = item instanceof FromView.Named named && named.token() == target.token();
        if (!isTarget && item instanceof FromView.Named named && isNamed(named)) {
          add(named, false);
        } else if (!isTarget) {
          unclear |= item instanceof FromView.Joined joined && names(joined);
          outside(item);
        }
      }
    }
    boolean hidden = target.name().equals(List.of(name)) || target.alias().equals(name);
    return unclear || hidden || !allAreFound(itself) ? List.of() : List.copyOf(found);
  }

  private boolean names(FromView item) {
    if (item instanceof FromView.Joined joined) {
      return names(joined.left()) || names(joined.right());
    }
    return item instanceof FromView.Named named && isNamed(named);
  }

  private boolean isNamed(FromView.Named named) {
    return named.name().equals(List.of(name));
  }

  /** What a FROM item of the statement's own level has within. */
  private void outside(FromView item) {
    if (item instanceof FromView.Derived derived) {
      within(derived.query());
    } else if (item instanceof FromView.Joined joined) {
      outside(joined.left());
      outside(joined.right());
    }
  }

  private void within(QueryView query) {
    unclear |= query.with().stream().anyMatch(cte -> cte.name().equals(name));
    unclear |= query.writes();
    Stream.concat(query.with().stream().map(QueryView.Cte::query), query.nested().stream())
        .forEach(this::within);
    for (QueryView.Block block : query.blocks()) {
      block.nested().forEach(this::within);
      block.from().forEach(this::item);
    }
  }

  private void item(FromView item) {
    if (item instanceof FromView.Named named && isNamed(named)) {
      add(named, true);
    } else if (item instanceof FromView.Derived derived) {
      within(derived.query());
    } else if (item instanceof FromView.Joined joined) {
      item(joined.left());
      item(joined.right());
    }
  }

  private void add(FromView.Named named, boolean nested) {
    int at = named.token();
    if (at < 0 || named.renamed() || !is(at, name)) {
      unclear = true;
      return;
    }
    int end = at + 1;
    if (tokens.isWord(end, "as") && is(end + 1, named.alias())) {
      end += 2;
    } else if (is(end, named.alias()) && !named.alias().equals(name)) {
      end++;
    }
    unclear |= end == at + 1 && !named.alias().equals(name);
    found.add(new FoundTable.Mention(new Clauses.Range(at, end), named.alias(), nested));
  }

  private boolean is(int token, String word) {
    return token < tokens.size()
        && tokens.kind(token).isName()
        && Names.of(tokens, token).equals(word);
  }

  private boolean allAreFound(Clauses.Range itself) {
    for (int i = 0; i < tokens.size(); i++) {
      int at = i;
      boolean known =
          (itself.from() <= i && i < itself.to())
              || tokens.isSymbol(i + 1, ".")
              || tokens.isSymbol(i - 1, ".")
              || found.stream().anyMatch(m -> m.tokens().from() <= at && at < m.tokens().to());
      if (is(i, name) && !known) {
        return false;
      }
    }
    return true;
  }
}
