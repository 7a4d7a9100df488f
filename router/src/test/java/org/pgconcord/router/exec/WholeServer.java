package org.pgconcord.router.exec;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.testkit.cluster.ClusterRoles;

/** The tables of {@code reads/schema.sql} twice: over three shards, and whole on a server. */
final class WholeServer implements AutoCloseable {
  static final String DOCUMENT =
      """
      {"authoritative_shard_group": "meta",
       "shard_indexes": {
         "tenant": {"type": "xxhash", "columns": ["tenant"]},
         "event": {"type": "xxhash", "columns": ["id"]}},
       "shard_groups": [
         {"uid": "meta", "key_ranges": [{"shard_uid": "shard-a"}]},
         {"uid": "data", "default_shard_index": "tenant", "key_ranges": [
           {"shard_uid": "shard-a", "end": "55"},
           {"shard_uid": "shard-b", "start": "55", "end": "aa"},
           {"shard_uid": "shard-c", "start": "aa"}]},
         {"uid": "log", "default_shard_index": "event", "key_ranges": [
           {"shard_uid": "shard-c", "end": "80"},
           {"shard_uid": "shard-b", "start": "80"}]}],
       "databases": {"app": {"schemas": {"public": {
         "tables": {
           "accounts": {"shard_group": "data"},
           "orders": {"shard_group": "data"},
           "pages": {"shard_group": "data"},
           "shelves": {"shard_group": "data"},
           "events": {"shard_group": "log"},
           "notes": {"shard_group": "meta"}},
         "reference_tables": {"countries": {"shard_groups": ["data"]}}}}}}}
      """;

  private static final String INDEXES =
      """
      "global_secondary_indexes": {
        "by_id": {"table": "accounts_by_id", "owner_table": "accounts", "columns": ["id"],
          "unique": true, "gsi_mode": "extended"},
        "by_city": {"table": "accounts_by_city", "owner_table": "accounts", "columns": ["city"],
          "owner_pk_columns": ["tenant", "id"], "ignore_null": true, "gsi_mode": "extended"},
        "by_order": {"table": "orders_by_id", "owner_table": "orders", "columns": ["order_id"],
          "unique": true},
        "by_status": {"table": "orders_by_status", "owner_table": "orders", "columns": ["status"],
          "owner_pk_columns": ["tenant", "order_id"], "ignore_null": true}},
      "schemas": {"public": {
        "tables": {
          "accounts_by_id": {"shard_group": "meta"}, "accounts_by_city": {"shard_group": "meta"},
          "orders_by_id": {"shard_group": "meta"}, "orders_by_status": {"shard_group": "meta"},
          "accounts": {"shard_group": "data", "secondary_indexes": [
            {"name": "by_id", "columns": ["id"]}, {"name": "by_city", "columns": ["city"]}]},
          "orders": {"shard_group": "data", "secondary_indexes": [
            {"name": "by_order", "columns": ["order_id"]},
            {"name": "by_status", "columns": ["status"]}]},
      """;

  /** The same tables, with indexes of all kinds over accounts and orders. */
  static final String INDEXED =
      DOCUMENT.replaceFirst("\"schemas\"(?s:.)*\"orders\": [^\n]*\n", INDEXES);

  final DeclaredRouter router;

  /** All rows on one plain server. */
  final Connection whole;

  WholeServer() throws SQLException, IOException {
    this(DOCUMENT);
  }

  WholeServer(String document) throws SQLException, IOException {
    router = new DeclaredRouter(3, document, statements("schema.sql"));
    ShardId first = router.cluster.shards().get(0);
    try (Connection admin = router.cluster.asSuperuser(first)) {
      run(admin, "CREATE DATABASE whole OWNER " + ClusterRoles.OWNER);
    }
    whole = router.cluster.connect(first, ClusterRoles.OWNER, "whole");
    for (String statement : statements("schema.sql")) {
      run(whole, statement);
    }
    for (String statement : statements("rows.sql")) {
      run(whole, statement);
    }
    distribute();
  }

  /** Every table's rows go through the router, so that each is where it belongs. */
  private void distribute() throws SQLException {
    try (Connection client = router.connect("extended")) {
      for (String table :
          List.of("accounts", "orders", "events", "countries", "notes", "shelves")) {
        for (String row : DeclaredRouter.rows(whole, literals(table))) {
          run(client, "INSERT INTO " + table + " VALUES (" + row + ")");
        }
      }
    }
  }

  /** A query for each row of the table as a list of constants. */
  private String literals(String table) throws SQLException {
    String columns =
        String.join(
            ", ",
            DeclaredRouter.rows(
                whole,
                "SELECT 'quote_nullable(' || attname || '::text)' FROM pg_attribute WHERE attrelid"
                    + " = '"
                    + table
                    + "'::regclass AND attnum > 0 ORDER BY attnum"));
    return "SELECT concat_ws(', ', " + columns + ") FROM " + table;
  }

  @Override
  public void close() throws SQLException {
    whole.close();
    router.close();
  }

  /** One more session on the plain server. */
  Connection another() throws SQLException {
    return router.cluster.connect(router.cluster.shards().get(0), ClusterRoles.OWNER, "whole");
  }

  // --- answers ---------------------------------------------------------------------------------

  static String answer(Connection connection, String query) {
    try (PreparedStatement statement = connection.prepareStatement(query)) {
      return answer(statement, ordered(query));
    } catch (SQLException e) {
      return "error " + e.getSQLState() + " " + e.getMessage();
    }
  }

  static String answer(PreparedStatement statement, boolean ordered) throws SQLException {
    return rows(statement.executeQuery(), ordered);
  }

  /** Its columns, types and values; in an order of ours where the query leaves it open. */
  static String rows(ResultSet rows, String query) throws SQLException {
    return rows(rows, ordered(query));
  }

  private static String rows(ResultSet rows, boolean ordered) throws SQLException {
    ResultSetMetaData columns = rows.getMetaData();
    List<String> lines = new ArrayList<>();
    while (rows.next()) {
      List<String> values = new ArrayList<>();
      for (int i = 1; i <= columns.getColumnCount(); i++) {
        values.add(String.valueOf(rows.getString(i)));
      }
      lines.add(String.join("|", values));
    }
    if (!ordered) {
      Collections.sort(lines);
    }
    List<String> head = new ArrayList<>();
    for (int i = 1; i <= columns.getColumnCount(); i++) {
      head.add(
          columns.getColumnLabel(i)
              + ":"
              + columns.getColumnTypeName(i)
              + "("
              + columns.getPrecision(i)
              + ")");
    }
    return String.join(",", head) + " " + lines;
  }

  private static boolean ordered(String query) {
    return query.toUpperCase(Locale.ROOT).matches("(?s).*ORDER BY [^()]*(\\([^()]*\\)[^()]*)*");
  }

  static void run(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  static List<String> statements(String file) throws IOException {
    return resource("/reads/" + file);
  }

  /** The statements of a file that blank lines separate. */
  static List<String> blocks(String file) throws IOException {
    try (InputStream in = WholeServer.class.getResourceAsStream("/reads/" + file)) {
      String text = new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
      return List.of(text.strip().split("\n\n+"));
    }
  }

  /** The statements of a file of resources; each ends a line with its semicolon. */
  static List<String> resource(String path) throws IOException {
    try (InputStream in = WholeServer.class.getResourceAsStream(path)) {
      String text = new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
      String plain = text.replaceAll("(?m)^--.*\n", "");
      return Arrays.stream(plain.split(";\n"))
          .map(String::strip)
          .filter(s -> !s.isEmpty())
          .toList();
    }
  }
}
