package org.pgconcord.verifier.reference;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.value.Identifiers;
import org.pgconcord.verifier.reference.RowMerge.Row;

/** Changes rows of one copy, some hundreds by one statement, inside the caller's transaction. */
final class CopyWriter {
  private static final int BATCH = 500;

  private static final String COLUMNS =
      "SELECT attname, pg_catalog.format_type(atttypid, atttypmod), attgenerated <> '',"
          + " attidentity = 'a' FROM pg_catalog.pg_attribute WHERE attrelid ="
          + " pg_catalog.to_regclass(?) AND attnum > 0 AND NOT attisdropped";

  /** Which changes a writer makes. */
  enum Kind {
    DELETE,
    UPDATE,
    INSERT
  }

  private final Connection connection;
  private final String sql;
  private final List<Integer> sent;
  private final List<Row> waiting = new ArrayList<>();

  private record Target(String name, String type, boolean generated, boolean alwaysIdentity) {
    String assigned() {
      return Identifiers.quote(name) + " = " + cast();
    }

    String cast() {
      return "CAST(v." + Identifiers.quote(name) + " AS " + type + ")";
    }
  }

  private CopyWriter(Connection connection, String sql, List<Integer> sent) {
    this.connection = connection;
    this.sql = sql;
    this.sent = sent;
  }

  static CopyWriter of(Connection connection, CopyTable table, Kind kind) throws SQLException {
    List<Target> targets = targets(connection, table);
    List<Target> used =
        switch (kind) {
          case DELETE -> targets.stream().filter(t -> table.key().contains(t.name())).toList();
          case UPDATE ->
              targets.stream()
                  .filter(
                      t -> table.key().contains(t.name()) || !(t.generated() || t.alwaysIdentity()))
                  .toList();
          case INSERT -> targets.stream().filter(t -> !t.generated()).toList();
        };
    List<Integer> sent = used.stream().map(t -> table.columns().indexOf(t.name())).toList();
    return new CopyWriter(connection, sql(table, kind, used), sent);
  }

  private static List<Target> targets(Connection connection, CopyTable table) throws SQLException {
    List<Target> targets = new ArrayList<>();
    try (PreparedStatement query = connection.prepareStatement(COLUMNS)) {
      query.setString(1, table.name().quoted());
      try (ResultSet row = query.executeQuery()) {
        while (row.next()) {
          targets.add(
              new Target(row.getString(1), row.getString(2), row.getBoolean(3), row.getBoolean(4)));
        }
      }
    }
    return targets;
  }

  private static String sql(CopyTable table, Kind kind, List<Target> used) {
    String rows =
        "unnest(%s) AS v(%s)"
            .formatted(
                joined(used, t -> "CAST(? AS text[])"),
                joined(used, t -> Identifiers.quote(t.name())));
    List<Target> keys = used.stream().filter(t -> table.key().contains(t.name())).toList();
    String matching =
        keys.stream()
            .map(t -> "t." + Identifiers.quote(t.name()) + " = " + t.cast())
            .collect(Collectors.joining(" AND "));
    return switch (kind) {
      case DELETE ->
          "DELETE FROM %s t USING %s WHERE %s".formatted(table.name().quoted(), rows, matching);
      case UPDATE ->
          "UPDATE %s t SET %s FROM %s WHERE %s"
              .formatted(
                  table.name().quoted(),
                  joined(used.stream().filter(t -> !keys.contains(t)).toList(), Target::assigned),
                  rows,
                  matching);
      case INSERT ->
          "INSERT INTO %s (%s) OVERRIDING SYSTEM VALUE SELECT %s FROM %s"
              .formatted(
                  table.name().quoted(),
                  joined(used, t -> Identifiers.quote(t.name())),
                  joined(used, Target::cast),
                  rows);
    };
  }

  private static String joined(List<Target> targets, Function<Target, String> text) {
    return targets.stream().map(text).collect(Collectors.joining(", "));
  }

  void add(Row row) throws SQLException {
    waiting.add(row);
    if (waiting.size() == BATCH) {
      flush();
    }
  }

  void flush() throws SQLException {
    if (waiting.isEmpty()) {
      return;
    }
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int parameter : IntStream.range(0, sent.size()).toArray()) {
        int column = sent.get(parameter);
        @Nullable String[] values =
            waiting.stream().map(row -> row.values().get(column)).toArray(String[]::new);
        statement.setArray(parameter + 1, connection.createArrayOf("text", values));
      }
      statement.executeUpdate();
    }
    waiting.clear();
  }
}
