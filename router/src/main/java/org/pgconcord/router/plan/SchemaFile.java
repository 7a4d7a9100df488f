package org.pgconcord.router.plan;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.pgconcord.config.schema.TableSchema;
import org.pgconcord.config.value.TableName;
import org.pgconcord.router.sql.Names;
import org.pgconcord.router.sql.StatementText;
import org.pgconcord.router.sql.Tokens;

/**
 * Reads tables from a file of SQL such as {@code pg_dump --schema-only} writes, for planning and
 * checking without a server. It knows CREATE TABLE, primary keys and unique constraints and
 * indexes, defaults and identities, replica identity and row security; everything else is passed
 * over. A name without a schema is taken to be in {@code public}.
 */
public final class SchemaFile {
  private final Map<TableName, TableDefinition> tables = new LinkedHashMap<>();

  private SchemaFile() {}

  /**
   * The tables that {@code sql} creates.
   *
   * @throws org.pgconcord.config.error.ConcordException when the text does not scan
   */
  public static Map<TableName, TableSchema> read(String sql) {
    SchemaFile file = new SchemaFile();
    String withoutMetaCommands =
        sql.lines().filter(l -> !l.startsWith("\\")).collect(Collectors.joining("\n"));
    for (StatementText statement : StatementText.split(withoutMetaCommands)) {
      file.statement(statement.tokens());
    }
    Map<TableName, TableSchema> schemas = new LinkedHashMap<>();
    file.tables.forEach((name, table) -> schemas.put(name, table.schema(name)));
    return schemas;
  }

  private void statement(Tokens tokens) {
    int table = indexOf(tokens, "table", 1, 4);
    if (tokens.isWord(0, "create") && table > 0) {
      createTable(tokens, table + 1);
    } else if (tokens.isWord(0, "alter") && tokens.isWord(1, "table")) {
      alterTable(tokens, 2);
    } else if (tokens.isWord(0, "create") && tokens.isWord(1, "unique")) {
      createUniqueIndex(tokens);
    }
  }

  private static int indexOf(Tokens tokens, String word, int from, int to) {
    for (int i = from; i < to; i++) {
      if (tokens.isWord(i, word)) {
        return i;
      }
    }
    return -1;
  }

  private void createTable(Tokens tokens, int from) {
    int i = tokens.isWord(from, "if") ? from + 3 : from;
    int open = nameEnd(tokens, i);
    if (!tokens.isSymbol(open, "(")) {
      return;
    }
    TableDefinition table = new TableDefinition(tokens);
    tables.put(name(tokens, i), table);
    for (int[] part : parts(tokens, open)) {
      table.element(part[0], part[1]);
    }
  }

  /** The ranges between the commas of a list in parentheses. */
  static List<int[]> parts(Tokens tokens, int open) {
    List<int[]> parts = new ArrayList<>();
    int depth = 0;
    int from = open + 1;
    for (int i = open; i < tokens.size(); i++) {
      if (tokens.isSymbol(i, "(") || tokens.isSymbol(i, "[")) {
        depth++;
      } else if (tokens.isSymbol(i, ")") || tokens.isSymbol(i, "]")) {
        depth--;
      }
      boolean end = depth == 0;
      if (end || (depth == 1 && tokens.isSymbol(i, ","))) {
        if (i > from) {
          parts.add(new int[] {from, i});
        }
        from = i + 1;
      }
      if (end) {
        break;
      }
    }
    return parts;
  }

  private void alterTable(Tokens tokens, int from) {
    int i = from;
    while (tokens.isAnyWord(i, "only", "if", "exists")) {
      i++;
    }
    TableDefinition table = tables.get(name(tokens, i));
    if (table == null) {
      return;
    }
    int action = nameEnd(tokens, i);
    if (tokens.isWord(action, "add")) {
      table.constraint(tokens, action + 1);
    } else if (tokens.isWord(action, "replica") && tokens.isWord(action + 1, "identity")) {
      table.replicaIdentity(tokens, action + 2);
    } else if (tokens.isWord(action, "enable") && tokens.isWord(action + 1, "row")) {
      table.enableRowSecurity();
    } else if (tokens.isWord(action, "alter")) {
      int column = tokens.isWord(action + 1, "column") ? action + 2 : action + 1;
      table.alterColumn(tokens, column);
    }
  }

  private void createUniqueIndex(Tokens tokens) {
    int on = indexOf(tokens, "on", 2, tokens.size());
    if (on < 0) {
      return;
    }
    int i = tokens.isWord(on + 1, "only") ? on + 2 : on + 1;
    TableDefinition table = tables.get(name(tokens, i));
    int open = nameEnd(tokens, i);
    if (tokens.isWord(open, "using")) {
      open += 2;
    }
    if (table != null && tokens.isSymbol(open, "(")) {
      table.uniqueIndex(tokens, Names.of(tokens, on - 1), open);
    }
  }

  private static TableName name(Tokens tokens, int i) {
    return tokens.isSymbol(i + 1, ".")
        ? new TableName(Names.of(tokens, i), Names.of(tokens, i + 2))
        : new TableName("public", Names.of(tokens, i));
  }

  private static int nameEnd(Tokens tokens, int i) {
    return tokens.isSymbol(i + 1, ".") ? i + 3 : i + 1;
  }
}
