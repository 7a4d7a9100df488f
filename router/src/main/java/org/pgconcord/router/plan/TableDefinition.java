package org.pgconcord.router.plan;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.schema.Column;
import org.pgconcord.config.schema.Numbering;
import org.pgconcord.config.schema.TableSchema;
import org.pgconcord.config.schema.UniqueKey;
import org.pgconcord.config.value.TableName;
import org.pgconcord.router.sql.Names;
import org.pgconcord.router.sql.Tokens;

/** A table while the file that defines it is being read. */
final class TableDefinition {
  private final Tokens tokens;
  private final List<Column> columns = new ArrayList<>();
  private final List<UniqueKey> keys = new ArrayList<>();
  private char replicaIdentity = 'd';
  private List<String> identityIndexColumns = List.of();
  private boolean rowSecurity;

  /** Columns with a sequence of their own, and whether it always decides. */
  private final Map<String, Boolean> numbered = new HashMap<>();

  TableDefinition(Tokens tokens) {
    this.tokens = tokens;
  }

  TableSchema schema(TableName name) {
    List<String> identity =
        switch (replicaIdentity) {
          case 'f' -> columns.stream().map(Column::name).toList();
          case 'n' -> List.of();
          case 'i' -> identityIndexColumns;
          default ->
              keys.stream()
                  .filter(UniqueKey::primary)
                  .findFirst()
                  .map(UniqueKey::columns)
                  .orElse(List.of());
        };
    List<Column> all = columns.stream().map(column -> numbered(name, column)).toList();
    return new TableSchema(name, 'r', all, keys, replicaIdentity, identity, rowSecurity, 0);
  }

  private Column numbered(TableName table, Column column) {
    Boolean always = numbered.get(column.name());
    if (always == null) {
      return column;
    }
    TableName sequence =
        new TableName(table.schema(), "%s_%s_seq".formatted(table.name(), column.name()));
    long most =
        switch (column.typeOid()) {
          case 21 -> Short.MAX_VALUE;
          case 23 -> Integer.MAX_VALUE;
          default -> Long.MAX_VALUE;
        };
    return column.withNumbering(
        Optional.of(new Numbering(sequence, always, 1, 1, 1, most, Optional.empty())));
  }

  /** One element of CREATE TABLE's list: a column or a constraint. */
  void element(int from, int to) {
    if (tokens.isAnyWord(from, "constraint", "primary", "unique", "foreign", "check", "exclude")) {
      constraint(tokens, from);
    } else if (!tokens.isWord(from, "like")) {
      column(from, to);
    }
  }

  private void column(int from, int to) {
    String name = Names.of(tokens, from);
    int i = from + 1;
    StringBuilder type = new StringBuilder();
    while (i < to && !isColumnConstraint(i)) {
      appendType(type, i++);
    }
    String collation = null;
    boolean notNull = false;
    boolean hasDefault = false;
    boolean generated = false;
    boolean identity = false;
    boolean always = false;
    for (; i < to; i++) {
      if (tokens.isWord(i, "collate")) {
        collation = Names.of(tokens, tokens.isSymbol(i + 2, ".") ? i + 3 : i + 1);
      } else if (tokens.isWord(i, "null") && tokens.isWord(i - 1, "not")) {
        notNull = true;
      } else if (tokens.isWord(i, "default")) {
        hasDefault = true;
      } else if (tokens.isWord(i, "generated")) {
        hasDefault = true;
        generated = !isIdentity(i, to);
        identity = !generated;
        always = identity && tokens.isWord(i + 1, "always");
      } else if (tokens.isAnyWord(i, "primary", "unique")) {
        boolean primary = tokens.isWord(i, "primary");
        notNull |= primary;
        keys.add(new UniqueKey(name + "_key", List.of(name), primary, true));
      }
    }
    TypeNames.Type known = TypeNames.of(type.toString());
    boolean serial = known.serial();
    columns.add(
        new Column(
            name,
            columns.size() + 1,
            known.oid(),
            known.name(),
            collation == null && known.collatable() ? "default" : collation,
            true,
            notNull || serial,
            hasDefault || serial,
            generated));
    if (serial || identity) {
      numbered.put(name, always);
    }
  }

  private boolean isIdentity(int from, int to) {
    for (int i = from; i < to; i++) {
      if (tokens.isWord(i, "identity")) {
        return true;
      }
    }
    return false;
  }

  private boolean isColumnConstraint(int i) {
    return tokens.isAnyWord(
        i,
        "collate",
        "default",
        "not",
        "null",
        "primary",
        "unique",
        "check",
        "references",
        "generated",
        "constraint",
        "storage",
        "compression");
  }

  private void appendType(StringBuilder type, int i) {
    String text = tokens.kind(i).isName() ? Names.of(tokens, i) : tokens.text(i);
    boolean word = tokens.kind(i).isName();
    if (word && !type.isEmpty() && type.charAt(type.length() - 1) != '.') {
      type.append(' ');
    }
    type.append(text);
  }

  /** A table constraint, in CREATE TABLE or behind ADD. */
  void constraint(Tokens source, int from) {
    int i = from;
    String name = "";
    if (source.isWord(i, "constraint")) {
      name = Names.of(source, i + 1);
      i += 2;
    }
    boolean primary = source.isWord(i, "primary");
    if (!primary && !source.isWord(i, "unique")) {
      return;
    }
    int open = i;
    while (open < source.size() && !source.isSymbol(open, "(")) {
      open++;
    }
    key(source, name, open, primary);
  }

  void uniqueIndex(Tokens source, String name, int open) {
    key(source, name, open, false);
  }

  private void key(Tokens source, String name, int open, boolean primary) {
    List<String> names = new ArrayList<>();
    boolean plain = true;
    int end = open + 1;
    for (int[] part : SchemaFile.parts(source, open)) {
      plain &= source.kind(part[0]).isName() && !source.isSymbol(part[0] + 1, "(");
      names.add(source.kind(part[0]).isName() ? Names.of(source, part[0]) : "");
      end = part[1];
    }
    boolean partial = false;
    for (int i = end; i < source.size(); i++) {
      partial |= source.isAnyWord(i, "where", "deferrable");
    }
    keys.add(new UniqueKey(name, names, primary, plain && !partial));
    if (primary) {
      columns.replaceAll(c -> names.contains(c.name()) ? notNull(c) : c);
    }
  }

  private static Column notNull(Column c) {
    return new Column(
        c.name(),
        c.position(),
        c.typeOid(),
        c.type(),
        c.collation(),
        c.deterministic(),
        true,
        c.hasDefault(),
        c.generated());
  }

  void replicaIdentity(Tokens source, int at) {
    if (source.isWord(at, "full")) {
      replicaIdentity = 'f';
    } else if (source.isWord(at, "nothing")) {
      replicaIdentity = 'n';
    } else if (source.isWord(at, "using")) {
      replicaIdentity = 'i';
      String index = Names.of(source, at + 2);
      identityIndexColumns =
          keys.stream()
              .filter(k -> k.index().equals(index))
              .findFirst()
              .map(UniqueKey::columns)
              .orElse(List.of());
    }
  }

  void enableRowSecurity() {
    rowSecurity = true;
  }

  /** SET DEFAULT, SET NOT NULL, ADD GENERATED ... AS IDENTITY. */
  void alterColumn(Tokens source, int at) {
    String name = Names.of(source, at);
    boolean byDefault =
        (source.isWord(at + 1, "set") && source.isWord(at + 2, "default"))
            || (source.isWord(at + 1, "add") && source.isWord(at + 2, "generated"));
    boolean required = source.isWord(at + 1, "set") && source.isWord(at + 2, "not");
    columns.replaceAll(c -> c.name().equals(name) ? altered(c, byDefault, required) : c);
  }

  private static Column altered(Column c, boolean byDefault, boolean required) {
    @Nullable String collation = c.collation();
    return new Column(
        c.name(),
        c.position(),
        c.typeOid(),
        c.type(),
        collation,
        c.deterministic(),
        c.notNull() || required,
        c.hasDefault() || byDefault,
        c.generated());
  }
}
