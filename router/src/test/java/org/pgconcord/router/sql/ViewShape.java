package org.pgconcord.router.sql;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A statement's view in words that PostgreSQL's tree can be put into too ({@code shapes.mjs}). The
 * shape (relations, joins, subqueries, CTEs, what is written) must be the same in both; of the
 * claims (conditions, items of lists, values to insert) the view may leave some out, which makes a
 * route wider, but each that it makes must be PostgreSQL's as well. Places in the text, in bytes,
 * tell apart what looks alike.
 */
final class ViewShape {
  /** Names that PostgreSQL's grammar replaces by those in its catalog. */
  private static final Map<String, String> TYPES =
      Map.ofEntries(
          Map.entry("bigint", "int8"),
          Map.entry("integer", "int4"),
          Map.entry("int", "int4"),
          Map.entry("smallint", "int2"),
          Map.entry("decimal", "numeric"),
          Map.entry("dec", "numeric"),
          Map.entry("real", "float4"),
          Map.entry("float", "float8"),
          Map.entry("double precision", "float8"),
          Map.entry("boolean", "bool"),
          Map.entry("character varying", "varchar"),
          Map.entry("bit varying", "varbit"),
          Map.entry("n", "bpchar"),
          Map.entry("timestamp without time zone", "timestamp"),
          Map.entry("timestamp with time zone", "timestamptz"),
          Map.entry("time without time zone", "time"),
          Map.entry("time with time zone", "timetz"));

  /** Types to which PostgreSQL's grammar gives a length that is not written. */
  private static final Set<String> MODIFIED = Set.of("char", "character", "nchar", "bit");

  private final Tokens tokens;
  private final Set<String> claims = new HashSet<>();
  private final String shape;

  ViewShape(StatementText text, StatementView view) {
    this.tokens = text.tokens();
    this.shape = statement(view);
  }

  String shape() {
    return shape;
  }

  Set<String> claims() {
    return claims.stream().map(String::strip).collect(Collectors.toSet());
  }

  // --- statements ------------------------------------------------------------------------------

  private String statement(StatementView view) {
    if (view instanceof StatementView.Query query) {
      return sorted(query(query.query()));
    } else if (view instanceof StatementView.Insert insert) {
      return insert(insert);
    } else if (view instanceof StatementView.Update update) {
      return "UPDATE(%s;%s)".formatted(commas(update.assigned()), update.from() ? "from" : "")
          + sorted(query(update.scope()));
    }
    StatementView.Delete delete = (StatementView.Delete) view;
    return "DELETE(%s)".formatted(delete.using() ? "using" : "") + sorted(query(delete.scope()));
  }

  private String insert(StatementView.Insert insert) {
    if (insert.source() == StatementView.Source.VALUES) {
      claims.add(
          insert.rows().stream()
              .map(row -> Integer.toString(row.size()))
              .collect(Collectors.joining(",", "rows ", "")));
    }
    for (int r = 0; r < insert.rows().size(); r++) {
      for (int v = 0; v < insert.rows().get(r).size(); v++) {
        value("value %d,%d ".formatted(r, v), insert.rows().get(r).get(v));
      }
    }
    insert.returning().ifPresent(this::items);
    String conflict =
        insert
            .conflict()
            .map(c -> ";%s %s".formatted(c.updates() ? "UPDATE" : "NOTHING", commas(c.assigned())))
            .orElse("");
    String source = insert.source() == StatementView.Source.DEFAULTS ? "DEFAULTS" : "QUERY";
    return "INSERT(%s;%s;%s%s)"
            .formatted(named(insert.target()), commas(insert.columns()), source, conflict)
        + sorted(query(insert.scope()));
  }

  private void value(String place, StatementView.ValueView value) {
    if (value instanceof StatementView.ValueView.Default) {
      claims.add(place + "default");
    } else if (value instanceof StatementView.ValueView.Constant constant) {
      claims.add(place + constant(constant.value()));
    }
  }

  // --- queries ---------------------------------------------------------------------------------

  private List<String> query(QueryView query) {
    List<String> units = new ArrayList<>();
    for (QueryView.Block block : query.blocks()) {
      if (block.from().isEmpty() && block.items().isEmpty() && block.nested().size() == 1) {
        units.addAll(query(block.nested().get(0)));
      } else {
        units.add(block(block));
      }
    }
    query.nested().forEach(n -> units.addAll(query(n)));
    if (query.with().isEmpty()) {
      return units;
    }
    String ctes =
        query.with().stream()
            .map(c -> "%s%s=%s".formatted(c.name(), c.renamed() ? "~" : "", cte(c)))
            .collect(Collectors.joining(";"));
    return List.of("W%s(%s|%s)".formatted(query.recursive() ? "R" : "", ctes, sorted(units)));
  }

  private String cte(QueryView.Cte cte) {
    return cte.write().map(this::statement).orElseGet(() -> sorted(query(cte.query())));
  }

  private String block(QueryView.Block block) {
    List<String> nested = new ArrayList<>();
    List<String> from = block.from().stream().map(this::from).toList();
    block.nested().forEach(n -> nested.addAll(query(n)));
    conditions("where@" + first(block.from().stream()), block.where());
    block.items().ifPresent(this::items);
    return "B[%s]{%s}".formatted(commas(from), sorted(nested));
  }

  private String from(FromView item) {
    if (item instanceof FromView.Named named) {
      return named(named);
    } else if (item instanceof FromView.Computed computed) {
      return "C(%s)".formatted(computed.alias());
    } else if (item instanceof FromView.Derived derived) {
      return derived(derived);
    }
    FromView.Joined join = (FromView.Joined) item;
    conditions(
        "on@%s-%s".formatted(first(Stream.of(join.left())), first(Stream.of(join.right()))),
        join.on());
    return "%s(%s,%s,%s%s)"
        .formatted(
            join.kind(),
            from(join.left()),
            from(join.right()),
            String.join("+", join.using()),
            join.merged() && join.using().isEmpty() ? "*" : "");
  }

  private String derived(FromView.Derived derived) {
    return "D(%s%s,%s,%s)"
        .formatted(
            derived.alias(),
            derived.renamed() ? "~" : "",
            derived.lateral() ? "L" : "",
            sorted(query(derived.query())));
  }

  private String named(FromView.Named named) {
    return "%s@%s/%s%s"
        .formatted(
            String.join(".", named.name()),
            at(named.token()),
            named.alias(),
            named.renamed() ? "~" : "");
  }

  private String first(Stream<FromView> items) {
    return items
        .map(
            item ->
                item instanceof FromView.Named named
                    ? at(named.token())
                    : item instanceof FromView.Joined join
                        ? first(Stream.of(join.left(), join.right()))
                        : "-")
        .filter(place -> !place.equals("-"))
        .findFirst()
        .orElse("-");
  }

  // --- claims ----------------------------------------------------------------------------------

  private void conditions(String place, List<PredicateView> conditions) {
    for (PredicateView condition : conditions) {
      if (condition instanceof PredicateView.OneOf oneOf
          && oneOf.constants().stream().noneMatch(ConstantView.Computed.class::isInstance)) {
        String values =
            oneOf.constants().stream().map(this::constant).collect(Collectors.joining(","));
        claims.add("%s %s in %s".formatted(place, column(oneOf.column()), values));
      } else if (condition instanceof PredicateView.Same same) {
        claims.add("%s %s = %s".formatted(place, column(same.left()), column(same.right())));
      }
    }
  }

  private void items(List<ItemView> items) {
    for (int i = 0; i < items.size(); i++) {
      String place = "item %d/%d ".formatted(i, items.size());
      ItemView item = items.get(i);
      if (item instanceof ItemView.Star star) {
        claims.add(place + "star " + String.join(".", star.qualifier()));
      } else if (item instanceof ItemView.Plain plain) {
        claims.add(place + column(plain.column()) + " as " + plain.label());
      } else if (item instanceof ItemView.Constant constant) {
        claims.add(place + constant(constant.value()) + " as " + constant.label());
      } else if (!item.label().isEmpty()) {
        claims.add(place + "as " + item.label());
      }
    }
  }

  private String column(ColumnView column) {
    List<String> parts = new ArrayList<>(column.qualifier());
    parts.add(column.name());
    return String.join(".", parts) + "@" + at(column.token());
  }

  private String constant(ConstantView constant) {
    if (constant instanceof ConstantView.Literal literal) {
      String sign =
          literal.negative() ? "-after" + at(minus(literal.token())) : "at" + at(literal.token());
      return sign + cast(literal.cast());
    } else if (constant instanceof ConstantView.Parameter parameter) {
      return "$" + parameter.number() + cast(parameter.cast());
    } else if (constant instanceof ConstantView.Each each) {
      return "each " + constant(each.array());
    }
    return "null";
  }

  /** Parentheses may stand between sign and number. */
  private int minus(int literal) {
    int token = literal - 1;
    while (tokens.isSymbol(token, "(")) {
      token--;
    }
    return token;
  }

  private static String cast(String type) {
    String name = type.toLowerCase(Locale.ROOT).strip();
    if (name.isEmpty()) {
      return "";
    }
    boolean modified = name.contains("(") || name.contains("[") || MODIFIED.contains(name);
    String plain = name.startsWith("pg_catalog.") ? name.substring(11) : name;
    return "::" + (modified ? "other" : TYPES.getOrDefault(plain, plain.replace("\"", "")));
  }

  /** Where a token begins, in bytes of the whole text. */
  private String at(int token) {
    if (token < 0) {
      return "?";
    }
    String before = tokens.sql().substring(0, tokens.start(token));
    return Integer.toString(before.getBytes(StandardCharsets.UTF_8).length);
  }

  private static String commas(List<String> texts) {
    return String.join(",", texts);
  }

  private static String sorted(List<String> units) {
    return units.stream().sorted().collect(Collectors.joining(","));
  }

  /** What is wrong with a reading; empty when nothing is. */
  static Optional<String> difference(
      StatementText text, StatementView view, PostgresOracle.Shape theirs) {
    ViewShape ours = new ViewShape(text, view);
    if (!ours.shape().equals(theirs.shape())) {
      return Optional.of(
          "%s%n  PostgreSQL: %s%n  here:       %s"
              .formatted(text.sql(), theirs.shape(), ours.shape()));
    }
    List<String> made =
        ours.claims().stream().filter(c -> !theirs.claims().contains(c)).sorted().toList();
    return made.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "%s%n  PostgreSQL: %s%n  only here:  %s".formatted(text.sql(), theirs.claims(), made));
  }
}
