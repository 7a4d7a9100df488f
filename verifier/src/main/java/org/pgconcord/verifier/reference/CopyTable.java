package org.pgconcord.verifier.reference;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.Identifiers;
import org.pgconcord.config.value.TableName;

/**
 * A reference table's columns and key, and the SQL texts over them. {@code concat} yields a value's
 * text output for any type; NULL and the empty text are told apart by what stands in front.
 *
 * @param keyed false without a primary key: all columns are the key then
 */
record CopyTable(TableName name, List<String> columns, List<String> key, boolean keyed) {
  private static final String COLUMNS =
      "SELECT attname FROM pg_attribute WHERE attrelid = to_regclass(?) AND attnum > 0 AND NOT"
          + " attisdropped ORDER BY attnum";

  private static final String KEY =
      "SELECT a.attname FROM pg_index i CROSS JOIN LATERAL unnest(i.indkey) WITH ORDINALITY AS k(n,"
          + " o) JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.n WHERE i.indrelid"
          + " = to_regclass(?) AND i.indisprimary ORDER BY k.o";

  /** Reads them from one copy; without a primary key all columns are the key. */
  static CopyTable read(Connection connection, TableName name) throws SQLException {
    List<String> columns = names(connection, COLUMNS, name);
    if (columns.isEmpty()) {
      throw ErrorCode.VERIFY_FAILED.because("table " + name + " is not on a shard of its copies");
    }
    List<String> key = names(connection, KEY, name);
    return new CopyTable(name, columns, key.isEmpty() ? columns : key, !key.isEmpty());
  }

  private static List<String> names(Connection connection, String sql, TableName table)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setString(1, table.quoted());
      try (ResultSet row = statement.executeQuery()) {
        List<String> names = new ArrayList<>();
        while (row.next()) {
          names.add(row.getString(1));
        }
        return names;
      }
    }
  }

  /** The same columns in any order: a copy may have got them at another time. */
  boolean fits(CopyTable other) {
    return List.copyOf(columns.stream().sorted().toList())
            .equals(other.columns.stream().sorted().toList())
        && key.equals(other.key);
  }

  /** A query of key text {@code kt}, key values {@code kv} and row text {@code rt} of all rows. */
  String rows() {
    return "SELECT %s AS kt, ARRAY[%s] AS kv, %s AS rt FROM %s"
        .formatted(
            text(key),
            key.stream().map(CopyTable::value).collect(Collectors.joining(", ")),
            text(columns),
            name.quoted());
  }

  private static String text(List<String> names) {
    return names.stream()
        .map(
            c ->
                "CASE WHEN %s IS NULL THEN 'n' ELSE octet_length(%s) || ':' || %s END"
                    .formatted(Identifiers.quote(c), value(c), value(c)))
        .collect(Collectors.joining(" || ", "(", ") COLLATE \"C\""));
  }

  /**
   * A query of key text {@code kt} and then each column's text, in the order of the key texts'
   * bytes.
   */
  String rowsInOrder() {
    return "SELECT %s AS kt, %s FROM %s ORDER BY kt"
        .formatted(
            text(key),
            columns.stream()
                .map(
                    c ->
                        "CASE WHEN %s IS NOT NULL THEN %s END"
                            .formatted(Identifiers.quote(c), value(c)))
                .collect(Collectors.joining(", ")),
            name.quoted());
  }

  private static String value(String column) {
    return "concat(" + Identifiers.quote(column) + ")";
  }

  /** All columns' texts of the rows with one key text. */
  String columnsOfKey() {
    String list =
        columns.stream()
            .map(
                c ->
                    "CASE WHEN %s IS NULL THEN NULL ELSE %s END"
                        .formatted(Identifiers.quote(c), value(c)))
            .collect(Collectors.joining(", "));
    return "SELECT " + list + " FROM " + name.quoted() + " WHERE " + text(key) + " = ?";
  }
}
