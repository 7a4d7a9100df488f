package org.pgconcord.router.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.pgconcord.router.plan.FoundColumns.Reference;
import org.pgconcord.router.sql.Clauses;
import org.pgconcord.router.sql.Names;
import org.pgconcord.router.sql.QueryView;
import org.pgconcord.router.sql.StatementView;
import org.pgconcord.router.sql.Tokens;

/**
 * The subqueries in FROM and USING, and the first CTE of a statement, as tables whose rows can be
 * there before it runs.
 */
final class FoundInFrom {
  private final PlanInput input;
  private final StatementView view;
  private final FoundTarget target;
  private final Tokens tokens;
  private final Clauses clauses;
  private final Optional<Clauses.Range> where;

  FoundInFrom(PlanInput input, StatementView view, FoundTarget target) {
    this.input = input;
    this.view = view;
    this.target = target;
    this.tokens = input.tokens();
    this.clauses = input.clauses();
    this.where = clauses.topLevelWhere();
  }

  // --- subqueries ------------------------------------------------------------------------------

  List<Found> subqueries() {
    Optional<Clauses.Range> source = source();
    List<Found> found = new ArrayList<>();
    if (source.isPresent() && where.isPresent()) {
      clauses.items(source.get()).forEach(item -> subquery(item).ifPresent(found::add));
    }
    return found;
  }

  private Optional<Clauses.Range> source() {
    if (view instanceof StatementView.Update) {
      return clauses
          .topLevelSet()
          .flatMap(set -> clauses.updateFrom(new Clauses.Range(set, tokens.size())));
    }
    int using = clauses.topLevel(1, "using");
    return using == tokens.size()
        ? Optional.empty()
        : Optional.of(
            new Clauses.Range(using + 1, clauses.topLevel(using + 1, "where", "returning")));
  }

  private Optional<Found> subquery(Clauses.Range item) {
    int close = clauses.close(item.from());
    int name = tokens.isWord(close + 1, "as") ? close + 2 : close + 1;
    if (close < 0
        || !tokens.isAnyWord(item.from() + 1, "select", "with")
        || name + 1 != item.to()
        || !tokens.kind(name).isName()) {
      return Optional.empty();
    }
    String alias = Names.of(tokens, name);
    return Optional.of(
        table(
            new Clauses.Range(item.from() + 1, close),
            Optional.empty(),
            List.of(),
            List.of(new FoundTable.Mention(item, alias, false)),
            alias));
  }

  private Found table(
      Clauses.Range body,
      Optional<Clauses.Range> gone,
      List<String> names,
      List<FoundTable.Mention> mentions,
      String name) {
    List<FoundKeys.Equal> equal = new ArrayList<>();
    for (Clauses.Range operand : clauses.conjuncts(where.orElseThrow())) {
      mentions.stream()
          .filter(mention -> !mention.nested())
          .forEach(mention -> equal.addAll(equality(operand, mention.alias(), names)));
      if (gone.isPresent()) {
        equal.addAll(membership(operand, name, names));
      }
    }
    FoundQuery asked = FoundQuery.of(body, equal, target, input);
    return new FoundTable(
        asked,
        gone,
        names,
        mentions,
        where.orElseThrow(),
        new FoundKeys(equal, target.shardKey(), asked.addedColumns()));
  }

  // --- the first CTE ---------------------------------------------------------------------------

  Optional<Found> firstCte() {
    QueryView.Cte cte = view.scope().with().get(0);
    if (cte.write().isPresent() || view.scope().recursive() || where.isEmpty()) {
      return Optional.empty();
    }
    Clauses.Range whole = WithItems.of(input, view.scope()).first();
    boolean only = view.scope().with().size() == 1;
    List<String> names = names(whole.from() + 1);
    Clauses.Range body = new Clauses.Range(clauses.partner(whole.to() - 1) + 1, whole.to() - 1);
    List<FoundTable.Mention> mentions = new FoundMentions(input, view, cte.name()).all(whole);
    return mentions.isEmpty() || (cte.renamed() && names.isEmpty())
        ? Optional.empty()
        : Optional.of(
            table(
                body,
                Optional.of(
                    only
                        ? new Clauses.Range(0, whole.to())
                        : new Clauses.Range(whole.from(), whole.to() + 1)),
                names,
                mentions,
                cte.name()));
  }

  /** The names of a CTE's columns, where it gives them names. */
  private List<String> names(int open) {
    int close = clauses.close(open);
    if (close < 0) {
      return List.of();
    }
    return clauses.items(new Clauses.Range(open + 1, close)).stream()
        .map(item -> Names.of(tokens, item.from()))
        .toList();
  }

  // --- what the condition says -----------------------------------------------------------------

  /** {@code t.id = picked.id}, or the other way round. */
  private List<FoundKeys.Equal> equality(Clauses.Range operand, String alias, List<String> names) {
    int equals = at(operand, "=");
    if (equals < 0) {
      return List.of();
    }
    Optional<Reference> left = Reference.of(tokens, new Clauses.Range(operand.from(), equals));
    Optional<Reference> right = Reference.of(tokens, new Clauses.Range(equals + 1, operand.to()));
    if (left.isEmpty() || right.isEmpty()) {
      return List.of();
    }
    boolean turned = left.get().qualifier().equals(alias);
    Reference of = turned ? left.get() : right.get();
    Reference own = turned ? right.get() : left.get();
    return of.qualifier().equals(alias) && own.isOf(target) && !alias.equals(target.alias())
        ? List.of(equal(own.written(), own.name(), of.name(), names))
        : List.of();
  }

  private int at(Clauses.Range range, String symbol) {
    return IntStream.range(range.from(), range.to())
        .filter(i -> tokens.isSymbol(i, symbol))
        .findFirst()
        .orElse(-1);
  }

  private static FoundKeys.Equal equal(
      String column, String named, String name, List<String> names) {
    return new FoundKeys.Equal(column, named, names.indexOf(name), name);
  }

  /** {@code id IN (SELECT id FROM picked)}, or = in place of IN. */
  private List<FoundKeys.Equal> membership(Clauses.Range operand, String cte, List<String> names) {
    List<Clauses.Range> queries = clauses.subqueries(operand);
    if (queries.size() != 1 || queries.get(0).to() + 1 != operand.to()) {
      return List.of();
    }
    Clauses.Range query = queries.get(0);
    int operator = query.from() - 2;
    Optional<FoundColumns> left =
        tokens.isWord(operator, "in") || tokens.isSymbol(operator, "=")
            ? FoundColumns.before(input, target, operator)
            : Optional.empty();
    int from = clauses.topLevelWithin(query, "from");
    List<Reference> listed =
        from < 0
            ? List.of()
            : clauses.items(new Clauses.Range(query.from() + 1, from)).stream()
                .flatMap(item -> Reference.of(tokens, item).stream())
                .toList();
    boolean plain =
        left.isPresent()
            && left.get().from() == operand.from()
            && from + 2 == query.to()
            && tokens.kind(from + 1).isName()
            && Names.of(tokens, from + 1).equals(cte)
            && listed.size() == left.get().names().size()
            && listed.stream().allMatch(r -> r.qualifier().isEmpty() || r.qualifier().equals(cte));
    return plain
        ? IntStream.range(0, listed.size())
            .mapToObj(
                i ->
                    equal(
                        left.get().written().get(i),
                        left.get().names().get(i),
                        listed.get(i).name(),
                        names))
            .toList()
        : List.of();
  }
}
