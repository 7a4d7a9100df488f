package org.pgconcord.router.plan;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.schema.Column;
import org.pgconcord.config.schema.TableSchema;
import org.pgconcord.config.value.Identifiers;
import org.pgconcord.router.analyse.TablePlace;
import org.pgconcord.router.sql.Clauses;
import org.pgconcord.router.sql.Names;
import org.pgconcord.router.sql.SqlEdit;
import org.pgconcord.router.sql.Tokens;

/**
 * Which columns of one appearance of a table the statement needs, found by names among its tokens:
 * a column counts when its name occurs anywhere, and all do where something stands for a whole row.
 * The finishing query would fail for a column that is missing, never answer differently.
 */
final class TableColumns {
  private static final int FIRST_USER_OID = 16_384;

  private final PlanInput input;
  private final Tokens tokens;
  private final TablePlace use;
  private final TableSchema schema;
  private final int from;
  private final int to;

  TableColumns(PlanInput input, TablePlace use) {
    this.input = input;
    this.tokens = input.tokens();
    this.use = use;
    this.schema =
        use.table()
            .schema()
            .orElseThrow(
                () ->
                    ErrorCode.SCHEMA_NOT_READ.because(
                        "the columns of %s are not known".formatted(use.table().name())));
    this.from = use.place().token();
    this.to = from < 0 ? -1 : nameEnd(tokens, from);
    if (!areReadable(input, use)) {
      throw ErrorCode.QUERY_NEEDS_MERGE.because(
          "ONLY or * beside %s, whose rows would have to be gathered"
              .formatted(use.table().name()));
    }
  }

  /** Not where the statement asks for a table without, or with, those that inherit from it. */
  static boolean areReadable(PlanInput input, TablePlace use) {
    int token = use.place().token();
    return use.table().schema().isPresent()
        && token >= 0
        && !input.tokens().isWord(token - 1, "only")
        && !input.tokens().isSymbol(nameEnd(input.tokens(), token), "*");
  }

  private static int nameEnd(Tokens tokens, int from) {
    int last = from;
    while (tokens.isSymbol(last + 1, ".")) {
      last += 2;
    }
    return last + 1;
  }

  /** The first token of the table's name in FROM. */
  int from() {
    return from;
  }

  /** The token behind that name. */
  int to() {
    return to;
  }

  String alias() {
    return use.alias();
  }

  /** Its name in full. */
  String quoted() {
    return use.table().name().quoted();
  }

  /** Whether the token is a part of the table's name in FROM, or the alias behind it. */
  boolean isDeclaredAt(int i) {
    int alias = tokens.isWord(to, "as") ? to + 1 : to;
    return (i >= from && i < to)
        || (i == alias && Names.of(tokens, i).equals(use.alias()) && !tokens.isSymbol(i + 1, "."));
  }

  /** {@code AS "name"} where FROM gives no other name than the table's own. */
  String writtenAlias() {
    boolean own = use.alias().equals(use.table().name().name());
    boolean written =
        !own
            || tokens.isWord(to, "as")
            || (to < tokens.size()
                && tokens.kind(to).isName()
                && Names.of(tokens, to).equals(use.alias()));
    return written ? "" : " AS " + Identifiers.quote(use.alias());
  }

  Source.Item item(Column column) {
    return new Source.Item(use.alias(), column);
  }

  Optional<Column> column(String name) {
    return schema.column(name);
  }

  boolean has(String column) {
    return schema.column(column).isPresent();
  }

  /**
   * The schemas in {@code public.users.id}, with their dots: rows that stand in for a table have
   * none.
   */
  List<Clauses.Range> schemas() {
    List<Clauses.Range> found = new ArrayList<>();
    for (int i = 0; i + 4 < tokens.size(); i++) {
      if (tokens.kind(i).isName()
          && tokens.isSymbol(i + 1, ".")
          && tokens.kind(i + 2).isName()
          && tokens.isSymbol(i + 3, ".")
          && !tokens.isSymbol(i - 1, ".")
          && Names.of(tokens, i).equals(use.table().name().schema())
          && Names.of(tokens, i + 2).equals(use.table().name().name())) {
        found.add(new Clauses.Range(i, i + 2));
      }
    }
    return found;
  }

  /** The columns that the statement could mean. */
  List<Column> needed() {
    return needed(new Clauses.Range(0, tokens.size()), Set.of());
  }

  /**
   * The columns that the tokens of a range could mean.
   *
   * @param without tokens of the range that are not looked at
   */
  List<Column> needed(Clauses.Range range, Set<Integer> without) {
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

  /** Whether a token stands for all columns of the table. */
  boolean isWholeRow(int i) {
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

  /** Whether a token, behind its qualifier or in front of it, means a column of this table. */
  boolean isColumn(int i) {
    String name = Names.of(tokens, i);
    if (tokens.isSymbol(i + 1, ".")) {
      return name.equals(use.alias())
          && !tokens.isSymbol(i - 1, ".")
          && i + 2 < tokens.size()
          && tokens.kind(i + 2).isName()
          && has(Names.of(tokens, i + 2))
          && !tokens.isSymbol(i + 3, ".");
    }
    if (tokens.isSymbol(i - 1, ".")) {
      return i >= 2 && Names.of(tokens, i - 2).equals(use.alias());
    }
    return has(name);
  }

  /** What makes up for a table's primary key in GROUP BY, where only some columns are fetched. */
  Optional<SqlEdit> dependent(Set<String> fetched) {
    List<Column> columns =
        schema.columns().stream()
            .filter(c -> fetched.contains(Identifiers.quote(c.name())))
            .toList();
    return use.place().renamed()
        ? Optional.empty()
        : DependentColumns.of(input, to, use.alias(), schema, columns);
  }

  /** What gives a fetched value the column's type and collation. */
  static String cast(Column column) {
    boolean own = column.typeOid() > 0 && column.typeOid() < FIRST_USER_OID;
    String type = own || column.type().contains(".") ? column.type() : "public." + column.type();
    String collation =
        column.collation() == null || column.collation().equals("default")
            ? ""
            : " COLLATE " + collation(column.collation());
    return "::" + type + collation;
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
}
