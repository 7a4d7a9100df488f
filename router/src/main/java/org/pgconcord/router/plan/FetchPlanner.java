package org.pgconcord.router.plan;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.schema.Column;
import org.pgconcord.config.schema.TableSchema;
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
 * Which rows and columns of a sharded table a gathered query needs. Both are found by names among
 * tokens: a column is fetched when its name occurs anywhere in the statement, and all are where
 * something stands for a whole row. The finishing query would fail for a column that is missing,
 * never answer differently.
 *
 * <p>A condition is sent along when a row that does not meet it cannot matter, which the finishing
 * query then finds once more: an operand of the WHERE clause's AND chain over this table's columns
 * alone, for a table whose columns no outer join fills with NULLs.
 */
final class FetchPlanner {
  private static final int FIRST_USER_OID = 16_384;

  private final PlanInput input;
  private final ReadFacts facts;
  private final TableUse use;
  private final TableSchema schema;
  private final int from;
  private final int to;

  FetchPlanner(PlanInput input, ReadFacts facts, TableUse use) {
    this.input = input;
    this.facts = facts;
    this.use = use;
    this.schema =
        use.table()
            .schema()
            .orElseThrow(
                () ->
                    ErrorCode.SCHEMA_NOT_READ.because(
                        "the columns of %s are not known".formatted(use.table().name())));
    this.from = use.place().token();
    this.to = from < 0 ? -1 : nameEnd(input.tokens(), from);
    requirePlain();
  }

  private static int nameEnd(Tokens tokens, int from) {
    int last = from;
    while (tokens.isSymbol(last + 1, ".")) {
      last += 2;
    }
    return last + 1;
  }

  private void requirePlain() {
    Tokens tokens = input.tokens();
    if (from < 0 || tokens.isWord(from - 1, "only") || tokens.isSymbol(to, "*")) {
      throw ErrorCode.QUERY_NEEDS_MERGE.because(
          "ONLY or * beside %s, whose rows would have to be gathered"
              .formatted(use.table().name()));
    }
    if (qualifiedBySchema()) {
      throw ErrorCode.QUERY_NEEDS_MERGE
          .because("a column is named with the schema of " + use.table().name())
          .withHint("Name columns by the table's name or alias alone.");
    }
  }

  /** {@code public.users.id} could not be found in the rows that stand in for the table. */
  private boolean qualifiedBySchema() {
    Tokens tokens = input.tokens();
    for (int i = 0; i + 4 < tokens.size(); i++) {
      if (tokens.kind(i).isName()
          && tokens.isSymbol(i + 1, ".")
          && tokens.kind(i + 2).isName()
          && tokens.isSymbol(i + 3, ".")
          && Names.of(tokens, i).equals(use.table().name().schema())
          && Names.of(tokens, i + 2).equals(use.table().name().name())) {
        return true;
      }
    }
    return false;
  }

  TableUse use() {
    return use;
  }

  /** The rows as they are. */
  Fetch plain() {
    return fetch(needed(), conditions(), new TextTemplate.Builder().build());
  }

  /**
   * The rows with something behind the conditions.
   *
   * @param tail what follows: ORDER BY, LIMIT
   */
  Fetch fetch(List<Column> columns, List<Clauses.Range> conditions, TextTemplate tail) {
    String list =
        columns.isEmpty()
            ? "true"
            : columns.stream().map(this::qualified).collect(Collectors.joining(", "));
    List<Fetch.Column> fetched =
        columns.isEmpty()
            ? List.of(new Fetch.Column("\"pgconcord_row\"", ""))
            : columns.stream().map(FetchPlanner::declared).toList();
    return of("SELECT " + list, fetched, conditions, tail);
  }

  /** A fetch with a SELECT list of its own. */
  Fetch of(
      String select,
      List<Fetch.Column> columns,
      List<Clauses.Range> conditions,
      TextTemplate tail) {
    return of(new TextTemplate.Builder().add(select).build(), columns, conditions, tail);
  }

  Fetch of(
      TextTemplate select,
      List<Fetch.Column> columns,
      List<Clauses.Range> conditions,
      TextTemplate tail) {
    TextTemplate.Builder sql = new TextTemplate.Builder().add(select);
    sql.add(" FROM " + use.table().name().quoted() + " AS " + Identifiers.quote(use.alias()));
    String word = " WHERE (";
    for (Clauses.Range condition : conditions) {
      sql.add(word).add(condition).add(")");
      word = " AND (";
    }
    return new Fetch(
        use.table().name(),
        group(),
        binding(),
        sql.add(tail).build(),
        columns,
        from,
        to,
        alias(),
        dependent(columns));
  }

  private Optional<SqlEdit> dependent(List<Fetch.Column> fetched) {
    Set<String> names = fetched.stream().map(Fetch.Column::name).collect(Collectors.toSet());
    List<Column> columns =
        schema.columns().stream().filter(c -> names.contains(Identifiers.quote(c.name()))).toList();
    return use.place().renamed()
        ? Optional.empty()
        : DependentColumns.of(input, to, use.alias(), schema, columns);
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

  private String alias() {
    Tokens tokens = input.tokens();
    boolean own = use.alias().equals(use.table().name().name());
    boolean written =
        !own
            || tokens.isWord(to, "as")
            || (to < tokens.size()
                && tokens.kind(to).isName()
                && Names.of(tokens, to).equals(use.alias()));
    return written ? "" : " AS " + Identifiers.quote(use.alias());
  }

  String qualified(Column column) {
    return Identifiers.quote(use.alias()) + "." + Identifiers.quote(column.name());
  }

  /** The column under its own name, type and collation. */
  static Fetch.Column declared(Column column) {
    boolean own = column.typeOid() > 0 && column.typeOid() < FIRST_USER_OID;
    String type = own || column.type().contains(".") ? column.type() : "public." + column.type();
    String collation =
        column.collation() == null || column.collation().equals("default")
            ? ""
            : " COLLATE " + collation(column.collation());
    return new Fetch.Column(Identifiers.quote(column.name()), "::" + type + collation);
  }

  /** {@code en_US.utf8} is one name, {@code app.german} has a schema. */
  private static String collation(String name) {
    int dot = name.indexOf('.');
    boolean locale = dot > 0 && name.substring(0, dot).matches("[a-z]{2,3}_[A-Z]{2}");
    return dot < 0 || locale
        ? "pg_catalog." + Identifiers.quote(name)
        : Identifiers.quote(name.substring(0, dot))
            + "."
            + Identifiers.quote(name.substring(dot + 1));
  }

  /** The table's columns that the statement could mean. */
  List<Column> needed() {
    return needed(new Clauses.Range(0, input.tokens().size()), Set.of());
  }

  /**
   * The table's columns that the tokens of a range could mean.
   *
   * @param without tokens of the range that are not looked at
   */
  List<Column> needed(Clauses.Range range, Set<Integer> without) {
    Tokens tokens = input.tokens();
    Set<String> names = new HashSet<>();
    for (int i = range.from(); i < range.to(); i++) {
      if (without.contains(i)) {
        continue;
      }
      if (isWholeRow(i)) {
        return schema.columns();
      }
      if (tokens.kind(i).isName()) {
        names.add(Names.of(tokens, i));
      }
    }
    return use.place().renamed()
        ? schema.columns()
        : schema.columns().stream().filter(c -> names.contains(c.name())).toList();
  }

  private boolean isWholeRow(int i) {
    Tokens tokens = input.tokens();
    if (tokens.isSymbol(i, "*")) {
      boolean count = tokens.isSymbol(i - 1, "(") && tokens.isSymbol(i + 1, ")");
      boolean list =
          tokens.isSymbol(i - 1, ",")
              || tokens.isSymbol(i - 1, ".")
              || tokens.isAnyWord(i - 1, "select", "distinct", "all", "returning")
              || (tokens.isSymbol(i - 1, ")")
                  && (i + 1 == tokens.size()
                      || tokens.isSymbol(i + 1, ",")
                      || tokens.isWord(i + 1, "from")));
      return !count && list;
    }
    if (tokens.isWord(i, "natural")) {
      return true;
    }
    boolean name = tokens.kind(i).isName() && Names.of(tokens, i).equals(use.alias());
    boolean declaration = i >= from && i <= to + 1;
    return name && !declaration && !tokens.isSymbol(i + 1, ".") && !tokens.isSymbol(i - 1, ".");
  }

  /**
   * Whether every name behind a dot is a column of the table. {@code (u).f} and {@code u.f} can be
   * calls of a function, an aggregate perhaps, over all rows.
   */
  boolean namesColumnsOnly() {
    Tokens tokens = input.tokens();
    for (int i = 2; i < tokens.size(); i++) {
      boolean behindDot =
          tokens.kind(i).isName()
              && tokens.isSymbol(i - 1, ".")
              && !tokens.isSymbol(i + 1, "(")
              && (i < from || i >= to);
      if (behindDot
          && (!tokens.kind(i - 2).isName() || schema.column(Names.of(tokens, i)).isEmpty())) {
        return false;
      }
    }
    return true;
  }

  // --- conditions ------------------------------------------------------------------------------

  private List<Clauses.Range> conditions() {
    Optional<Clauses.Range> where = input.clauses().whereBehind(to);
    if (use.place().nullable()
        || use.place().renamed()
        || where.isEmpty()
        || input.clauses().has("using", "natural")) {
      return List.of();
    }
    return input.clauses().conjuncts(where.get()).stream().filter(this::isOwn).toList();
  }

  /** Over this table's columns alone, and with the same answer here and there. */
  boolean isOwn(Clauses.Range condition) {
    Tokens tokens = input.tokens();
    for (int i = condition.from(); i < condition.to(); i++) {
      if (tokens.kind(i).isName() && !isHarmless(i) && !isColumn(i)) {
        return false;
      }
    }
    return onlyReads(condition);
  }

  /** Whether all functions that the tokens call are read-only and change with no row. */
  boolean onlyReads(Clauses.Range range) {
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
    return tokens.isAnyWord(
        i,
        "and",
        "or",
        "not",
        "is",
        "null",
        "in",
        "like",
        "ilike",
        "between",
        "true",
        "false",
        "unknown",
        "isnull",
        "notnull",
        "case",
        "when",
        "then",
        "else",
        "end",
        "distinct",
        "from",
        "similar",
        "to",
        "escape",
        "symmetric",
        "date",
        "timestamp",
        "interval",
        "array",
        "as");
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

  private boolean isColumn(int i) {
    Tokens tokens = input.tokens();
    String name = Names.of(tokens, i);
    if (tokens.isSymbol(i + 1, ".")) {
      return name.equals(use.alias())
          && !tokens.isSymbol(i - 1, ".")
          && i + 2 < tokens.size()
          && tokens.kind(i + 2).isName()
          && schema.column(Names.of(tokens, i + 2)).isPresent()
          && !tokens.isSymbol(i + 3, ".");
    }
    if (tokens.isSymbol(i - 1, ".")) {
      return i >= 2 && Names.of(tokens, i - 2).equals(use.alias());
    }
    return schema.column(name).isPresent();
  }
}
