package org.pgconcord.router.plan;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.pgconcord.router.analyse.FunctionCalls;
import org.pgconcord.router.sql.Clauses;
import org.pgconcord.router.sql.Names;
import org.pgconcord.router.sql.TextTemplate;
import org.pgconcord.router.sql.TokenKind;
import org.pgconcord.router.sql.Tokens;

/**
 * The first rows of an order: each shard sends as many as LIMIT and OFFSET let through together,
 * and the finishing query picks its own among them. The order's expressions are written out, since
 * the shards are asked for other columns than the client.
 */
final class TopRows {
  /** They make several rows, or none, of one. */
  private static final Set<String> SET_RETURNING =
      Set.of(
          "aclexplode",
          "generate_series",
          "generate_subscripts",
          "json_array_elements",
          "json_array_elements_text",
          "json_each",
          "json_each_text",
          "json_object_keys",
          "json_populate_recordset",
          "json_to_recordset",
          "jsonb_array_elements",
          "jsonb_array_elements_text",
          "jsonb_each",
          "jsonb_each_text",
          "jsonb_object_keys",
          "jsonb_path_query",
          "jsonb_path_query_tz",
          "jsonb_populate_recordset",
          "jsonb_to_recordset",
          "regexp_matches",
          "regexp_split_to_table",
          "string_to_table",
          "txid_snapshot_xip",
          "unnest");

  private static final String[] TAIL = {"order", "limit", "offset", "fetch", "for"};

  private final Source source;
  private final Tokens tokens;
  private final Clauses clauses;

  private TopRows(PlanInput input, Source source) {
    this.source = source;
    this.tokens = input.tokens();
    this.clauses = input.clauses();
  }

  /** ORDER BY and LIMIT for the shards; empty when the query has no limit that they can keep. */
  static Optional<TextTemplate> tail(PlanInput input, Source source) {
    return new TopRows(input, source).tail();
  }

  private Optional<TextTemplate> tail() {
    Optional<Clauses.Range> limit = limit();
    Optional<Clauses.Range> offset = offset();
    if (limit.isEmpty() || returnsSets() || !reads(limit) || !reads(offset)) {
      return Optional.empty();
    }
    TextTemplate.Builder text = new TextTemplate.Builder();
    int order = clauses.topLevel(0, "order");
    if (order < tokens.size()) {
      Clauses.Range list = new Clauses.Range(order + 2, end(order + 2));
      if (!source.onlyReads(list)) {
        return Optional.empty();
      }
      String separator = " ORDER BY ";
      for (Clauses.Range item : clauses.items(list)) {
        Optional<TextTemplate> key = key(item);
        if (key.isEmpty()) {
          return Optional.empty();
        }
        text.add(separator).add(key.get());
        separator = ", ";
      }
    }
    return Optional.of(text.add(bound(limit.get(), offset)).build());
  }

  /** NULL for either stands for no limit, and so it does here. */
  private static TextTemplate bound(Clauses.Range limit, Optional<Clauses.Range> offset) {
    TextTemplate.Builder text = new TextTemplate.Builder().add(" LIMIT LEAST((").add(limit);
    text.add(")::pg_catalog.int8::pg_catalog.numeric");
    offset.ifPresent(o -> text.add(" + (").add(o).add(")::pg_catalog.int8"));
    return text.add(", 9223372036854775807)::pg_catalog.int8").build();
  }

  private boolean reads(Optional<Clauses.Range> range) {
    return range.isEmpty() || source.onlyReads(range.get());
  }

  /** The next clause at or behind {@code from}, or the end. */
  private int end(int from) {
    return clauses.topLevel(from, TAIL);
  }

  private Optional<Clauses.Range> limit() {
    int limit = clauses.topLevel(0, "limit");
    if (limit < tokens.size()) {
      return tokens.isWord(limit + 1, "all")
          ? Optional.empty()
          : Optional.of(new Clauses.Range(limit + 1, end(limit + 1)));
    }
    int fetch = clauses.topLevel(0, "fetch");
    int to = fetch == tokens.size() ? fetch : end(fetch + 1);
    boolean counted =
        to - fetch >= 5
            && tokens.isAnyWord(fetch + 1, "first", "next")
            && tokens.isAnyWord(to - 2, "row", "rows")
            && tokens.isWord(to - 1, "only");
    return counted ? Optional.of(new Clauses.Range(fetch + 2, to - 2)) : Optional.empty();
  }

  private Optional<Clauses.Range> offset() {
    int offset = clauses.topLevel(0, "offset");
    if (offset == tokens.size()) {
      return Optional.empty();
    }
    int to = end(offset + 1);
    return Optional.of(
        new Clauses.Range(offset + 1, tokens.isAnyWord(to - 1, "row", "rows") ? to - 1 : to));
  }

  private boolean returnsSets() {
    return FunctionCalls.in(tokens).stream()
        .map(FunctionCalls.Call::name)
        .anyMatch(
            name ->
                SET_RETURNING.contains(name) || name.startsWith("pg_") || name.startsWith("ts_"));
  }

  // --- the order's expressions -----------------------------------------------------------------

  /** One key of the order, an item of the SELECT list written out. */
  private Optional<TextTemplate> key(Clauses.Range item) {
    int first = item.from();
    if (isOrdinalInParentheses(item)) {
      return Optional.empty();
    }
    boolean lone = item.to() - first == 1 || isDirection(first + 1);
    if (lone && tokens.kind(first) == TokenKind.INTEGER) {
      return ordinal(tokens.text(first))
          .map(e -> written(e, new Clauses.Range(first + 1, item.to())));
    }
    if (lone && tokens.kind(first).isName()) {
      Optional<Clauses.Range> named = labelled(Names.of(tokens, first));
      if (named.isPresent()) {
        return Optional.of(written(named.get(), new Clauses.Range(first + 1, item.to())));
      } else if (!mayBeColumn(Names.of(tokens, first))) {
        return Optional.empty();
      }
    }
    return Optional.of(new TextTemplate.Builder().add(new Clauses.Range(first, item.to())).build());
  }

  /** {@code ORDER BY (2)} names an item of the list too, which the shards' list has not. */
  private boolean isOrdinalInParentheses(Clauses.Range item) {
    int inner = item.from();
    while (tokens.isSymbol(inner, "(")) {
      inner++;
    }
    return inner > item.from() && tokens.kind(inner).isNumber() && tokens.isSymbol(inner + 1, ")");
  }

  private static TextTemplate written(Clauses.Range expression, Clauses.Range direction) {
    return new TextTemplate.Builder().add("(").add(expression).add(") ").add(direction).build();
  }

  private boolean isDirection(int token) {
    return tokens.isAnyWord(token, "asc", "desc", "nulls", "using");
  }

  private List<Clauses.Range> selectList() {
    int from = 1;
    if (tokens.isAnyWord(1, "all")) {
      from = 2;
    }
    return clauses.items(new Clauses.Range(from, clauses.topLevel(1, "from")));
  }

  private Optional<Clauses.Range> ordinal(String digits) {
    List<Clauses.Range> list = selectList();
    boolean stars = list.stream().anyMatch(i -> tokens.isSymbol(i.to() - 1, "*"));
    int number = digits.length() < 5 ? Integer.parseInt(digits) : 0;
    return stars || number < 1 || number > list.size()
        ? Optional.empty()
        : withoutLabel(list.get(number - 1));
  }

  /** The expression of an item; empty when it cannot be told from a label behind it. */
  private Optional<Clauses.Range> withoutLabel(Clauses.Range item) {
    if (item.to() - item.from() > 2 && tokens.isWord(item.to() - 2, "as")) {
      return Optional.of(new Clauses.Range(item.from(), item.to() - 2));
    }
    boolean column =
        item.to() - item.from() == 1
            || (item.to() - item.from() == 3 && tokens.isSymbol(item.from() + 1, "."));
    return column || !tokens.kind(item.to() - 1).isName() ? Optional.of(item) : Optional.empty();
  }

  /** The expression that the SELECT list gives this label. */
  private Optional<Clauses.Range> labelled(String name) {
    return selectList().stream()
        .filter(i -> i.to() - i.from() > 2 && tokens.isWord(i.to() - 2, "as"))
        .filter(i -> tokens.kind(i.to() - 1).isName())
        .filter(i -> Names.of(tokens, i.to() - 1).equals(name))
        .map(i -> new Clauses.Range(i.from(), i.to() - 2))
        .findFirst();
  }

  /** No item has a label of this name, so that it can only be the table's column. */
  private boolean mayBeColumn(String name) {
    boolean column = source.hasColumn(name);
    boolean label =
        selectList().stream()
            .filter(i -> i.to() - i.from() > 1 && tokens.kind(i.to() - 1).isName())
            .filter(i -> !tokens.isSymbol(i.to() - 2, "."))
            .anyMatch(i -> Names.of(tokens, i.to() - 1).equals(name));
    boolean chosen =
        selectList().stream()
            .anyMatch(item -> isUnlabelled(item) && ChosenLabels.mayBe(name, tokens, item));
    return column && !label && !chosen;
  }

  /** An expression that PostgreSQL finds a name for. */
  private boolean isUnlabelled(Clauses.Range item) {
    boolean column =
        tokens.kind(item.from()).isName()
            && (item.to() - item.from() == 1
                || (item.to() - item.from() == 3 && tokens.isSymbol(item.from() + 1, ".")));
    boolean labelled =
        tokens.isWord(item.to() - 2, "as")
            || (item.to() - item.from() == 2
                && tokens.kind(item.from()).isName()
                && tokens.kind(item.from() + 1).isName());
    return !column && !labelled && !tokens.isSymbol(item.to() - 1, "*");
  }
}
