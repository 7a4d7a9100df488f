package org.pgconcord.cdc.apply;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.pgconcord.config.value.Tuple;
import org.pgconcord.gsi.Entry;
import org.pgconcord.gsi.IndexColumn;
import org.pgconcord.gsi.LookupIndex;

/**
 * Set-wise statements on one lookup table and its owner table: thousands of entries each, as
 * arrays. Stateless; the caller owns connection and transaction.
 */
final class LookupWriter {
  private static final String AND = " AND ";

  private final LookupIndex index;
  private final String delete;
  private final String insert;
  private final String read;
  private final String page;
  private final String firstPage;
  private final String ownerless;

  LookupWriter(LookupIndex index) {
    this.index = index;
    String lookup = index.gsi().lookup().quoted();
    List<IndexColumn> columns = index.columns();
    List<IndexColumn> identity = index.identity();
    String all = each(columns, (c, n) -> c.quoted(), ", ");
    String key = each(identity, (c, n) -> c.quoted(), ", ");
    String names = each(columns, (c, n) -> n, ", ");
    String given =
        "unnest(%s) AS given(%s)"
            .formatted(
                each(columns, (c, n) -> "CAST(? AS text[])::" + c.sqlType() + "[]", ", "), names);
    delete =
        "DELETE FROM %s l USING %s WHERE %s"
            .formatted(
                lookup, given, each(columns, (c, n) -> "l." + c.quoted() + " = given." + n, AND));
    insert =
        "INSERT INTO %s (%s) SELECT %s FROM %s ON CONFLICT (%s) DO NOTHING"
            .formatted(lookup, all, names, given, key);
    read =
        "SELECT %s FROM %s l JOIN unnest(%s) AS given(%s) ON %s"
            .formatted(
                Stream.concat(
                        numbered(identity, (c, n) -> "given." + n),
                        index.holder().stream().map(c -> "l." + c.quoted() + "::text"))
                    .collect(Collectors.joining(", ")),
                lookup,
                each(identity, (c, n) -> "CAST(? AS text[])", ", "),
                each(identity, (c, n) -> n, ", "),
                each(identity, (c, n) -> "l." + c.quoted() + " = given." + typed(n, c), AND));
    String entries =
        "SELECT %s FROM %s".formatted(each(columns, (c, n) -> c.quoted() + "::text", ", "), lookup);
    firstPage = entries + " ORDER BY " + key + " LIMIT ?";
    page =
        "%s WHERE (%s) > (%s) ORDER BY %s LIMIT ?"
            .formatted(
                entries, key, each(identity, (c, n) -> typed("CAST(? AS text)", c), ", "), key);
    ownerless =
        "SELECT %s FROM %s WHERE NOT EXISTS (SELECT FROM %s o WHERE %s)"
            .formatted(
                each(columns, (c, n) -> "given." + n + "::text", ", "),
                given,
                index.gsi().owner().quoted(),
                each(columns, (c, n) -> "o." + c.quoted() + " = given." + n, AND));
  }

  private static String typed(String value, IndexColumn column) {
    return value + "::" + column.sqlType();
  }

  private static String each(
      List<IndexColumn> columns, BiFunction<IndexColumn, String, String> text, String between) {
    return numbered(columns, text).collect(Collectors.joining(between));
  }

  /** Each column with its name among the given values: v1 and so on. */
  private static Stream<String> numbered(
      List<IndexColumn> columns, BiFunction<IndexColumn, String, String> text) {
    return IntStream.range(0, columns.size())
        .mapToObj(i -> text.apply(columns.get(i), "v" + (i + 1)));
  }

  /** Removes the entries that are there exactly so; the others are left alone. */
  int delete(Connection connection, List<Entry> entries) throws SQLException {
    return update(connection, delete, entries);
  }

  /** Adds the entries whose identity has none; how many those were. */
  int insert(Connection connection, List<Entry> entries) throws SQLException {
    return update(connection, insert, entries);
  }

  /** The holders of these identities' entries; one without entry is absent. */
  Map<Tuple, Tuple> read(Connection connection, Collection<Tuple> identities) throws SQLException {
    Map<Tuple, Tuple> holders = new LinkedHashMap<>();
    int width = index.identity().size();
    try (PreparedStatement statement = connection.prepareStatement(read)) {
      bind(connection, statement, List.copyOf(identities), width);
      for (Entry entry : entries(statement)) {
        holders.put(entry.identity(), entry.holder());
      }
    }
    return holders;
  }

  /** The next entries in the order of identities after one of them, or the first ones. */
  List<Entry> page(Connection connection, Optional<Tuple> after, int limit) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(after.isPresent() ? page : firstPage)) {
      int parameter = 1;
      if (after.isPresent()) {
        for (String value : after.get().values()) {
          statement.setString(parameter++, value);
        }
      }
      statement.setInt(parameter, limit);
      return entries(statement);
    }
  }

  /** Of these entries, those without an owner row on the connection's shard. Locks nothing. */
  List<Entry> ownerless(Connection connection, List<Entry> entries) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(ownerless)) {
      bind(connection, statement, rows(entries), index.columns().size());
      return entries(statement);
    }
  }

  private int update(Connection connection, String sql, List<Entry> entries) throws SQLException {
    if (entries.isEmpty()) {
      return 0;
    }
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      bind(connection, statement, rows(entries), index.columns().size());
      return statement.executeUpdate();
    }
  }

  private static List<Tuple> rows(List<Entry> entries) {
    return entries.stream().map(Entry::row).toList();
  }

  /** One array per column. */
  private static void bind(
      Connection connection, PreparedStatement statement, List<Tuple> rows, int width)
      throws SQLException {
    for (int i = 0; i < width; i++) {
      int column = i;
      statement.setArray(
          column + 1, texts(connection, rows.stream().map(row -> row.get(column)).toList()));
    }
  }

  static Array texts(Connection connection, List<String> values) throws SQLException {
    return connection.createArrayOf("text", values.toArray());
  }

  private List<Entry> entries(PreparedStatement statement) throws SQLException {
    List<Entry> entries = new ArrayList<>();
    int width = index.columns().size();
    try (ResultSet rows = statement.executeQuery()) {
      while (rows.next()) {
        List<String> values = new ArrayList<>(width);
        for (int column = 1; column <= width; column++) {
          values.add(rows.getString(column));
        }
        entries.add(index.entry(new Tuple(values)));
      }
    }
    return entries;
  }
}
