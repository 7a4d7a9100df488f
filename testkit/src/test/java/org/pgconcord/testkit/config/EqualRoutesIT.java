package org.pgconcord.testkit.config;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.schema.Column;
import org.pgconcord.config.schema.SchemaReader;
import org.pgconcord.config.sharding.Constant;
import org.pgconcord.config.sharding.KeyConversion;
import org.pgconcord.config.sharding.KeyType;
import org.pgconcord.config.sharding.ShardKeyEncoder;
import org.pgconcord.config.value.Identifiers;
import org.pgconcord.config.value.TableName;
import org.pgconcord.testkit.cluster.ShardCluster;

/**
 * If PostgreSQL says {@code a = b}, both go the same way: asked of a server for every pair of odd
 * values of every type, within a type, across the types that share an equality, and between a
 * column and the constants that statements write.
 */
final class EqualRoutesIT {
  private static ShardCluster cluster;
  private static Connection connection;
  private static final Map<String, Column> COLUMNS = new HashMap<>();

  /** A stored value: its column's type, its text as the server prints it, and its route. */
  private record Stored(String type, int id, String text, String route) {}

  @BeforeAll
  static void fill() throws SQLException {
    cluster = ShardCluster.start(1);
    connection = Shards.connections(cluster).open(Shards.A, "app");
    Shards.run(
        connection,
        "CREATE SCHEMA odd",
        "SET search_path = odd, public",
        "CREATE TYPE mood AS ENUM ('sad', 'ok', 'Ok')",
        "CREATE DOMAIN code AS integer CHECK (value > 0)");
    int number = 0;
    for (Map.Entry<String, List<String>> type : OddValues.VALUES.entrySet()) {
      String table = "t" + number++;
      Shards.run(connection, "CREATE TABLE " + table + " (id int, v " + type.getKey() + ")");
      for (int i = 0; i < type.getValue().size(); i++) {
        Shards.run(
            connection,
            "INSERT INTO %s VALUES (%d, %s)"
                .formatted(table, i, Identifiers.literal(type.getValue().get(i))));
      }
      TableName name = new TableName("odd", table);
      COLUMNS.put(
          type.getKey(),
          requireNonNull(SchemaReader.read(connection, List.of(name)).get(name))
              .column("v")
              .orElseThrow());
    }
  }

  @AfterAll
  static void stop() throws SQLException {
    connection.close();
    cluster.close();
  }

  @Test
  void equalValuesOfOneTypeHaveOneRoute() throws SQLException {
    int equalPairs = 0;
    for (String type : OddValues.VALUES.keySet()) {
      equalPairs += compare(type, type);
    }
    assertThat(equalPairs).as("pairs of different spellings that are equal").isGreaterThan(40);
  }

  @Test
  void equalValuesOfTypesThatShareAShardHaveOneRoute() throws SQLException {
    int equalPairs = 0;
    for (String left : OddValues.VALUES.keySet()) {
      for (String right : OddValues.VALUES.keySet()) {
        boolean shared = keyType(left).colocatesWith(keyType(right));
        if (left.compareTo(right) < 0 && shared) {
          equalPairs += compare(left, right);
        }
      }
    }
    assertThat(equalPairs).isGreaterThan(40);
  }

  @Test
  void aConstantRoutesToEveryRowThatItEquals() throws SQLException {
    SoftAssertions all = new SoftAssertions();
    int routed = 0;
    for (String type : OddValues.VALUES.keySet()) {
      for (String constant : OddValues.CONSTANTS) {
        Optional<String> key =
            constant(constant).flatMap(c -> KeyConversion.compared(keyType(type), c));
        if (key.isPresent()) {
          routed++;
          String route = route(keyType(type), key.get());
          for (Stored row : matching(type, "v = " + constant)) {
            all.assertThat(route)
                .as("%s %s = %s", type, row.text(), constant)
                .isEqualTo(row.route());
          }
        }
      }
    }
    all.assertAll();
    assertThat(routed).isGreaterThan(200);
  }

  @Test
  void aConstantRoutesToTheShardOfTheRowThatItBecomes() throws SQLException {
    SoftAssertions all = new SoftAssertions();
    int routed = 0;
    for (String type : OddValues.VALUES.keySet()) {
      for (String constant : OddValues.CONSTANTS) {
        Optional<String> key =
            constant(constant)
                .flatMap(c -> KeyConversion.stored(keyType(type), column(type).type(), c));
        Optional<String> stored = key.isPresent() ? stored(type, constant) : Optional.empty();
        if (stored.isPresent()) {
          routed++;
          all.assertThat(route(keyType(type), key.get()))
              .as("%s stores %s as %s", type, constant, stored.get())
              .isEqualTo(route(keyType(type), stored.get()));
        }
      }
    }
    all.assertAll();
    assertThat(routed).isGreaterThan(150);
  }

  private static int compare(String left, String right) throws SQLException {
    Map<Integer, Stored> lefts = rows(left);
    Map<Integer, Stored> rights = rows(right);
    SoftAssertions all = new SoftAssertions();
    int equalPairs = 0;
    String query =
        "SELECT a.id, b.id FROM %s a JOIN %s b ON a.v = b.v".formatted(table(left), table(right));
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      while (row.next()) {
        Stored a = requireNonNull(lefts.get(row.getInt(1)));
        Stored b = requireNonNull(rights.get(row.getInt(2)));
        boolean same = left.equals(right) && a.id() == b.id();
        equalPairs += same ? 0 : 1;
        all.assertThat(a.route())
            .as("%s %s = %s %s", left, a.text(), right, b.text())
            .isEqualTo(b.route());
      }
    }
    all.assertAll();
    return equalPairs;
  }

  private static Map<Integer, Stored> rows(String type) throws SQLException {
    Map<Integer, Stored> rows = new HashMap<>();
    matching(type, "true").forEach(row -> rows.put(row.id(), row));
    return rows;
  }

  /** Empty where the operator does not exist or the server refuses the constant. */
  private static List<Stored> matching(String type, String condition) {
    List<Stored> rows = new ArrayList<>();
    String query = "SELECT id, v::text FROM " + table(type) + " WHERE " + condition;
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      while (row.next()) {
        String text = row.getString(2);
        rows.add(new Stored(type, row.getInt(1), text, route(keyType(type), text)));
      }
    } catch (SQLException e) {
      return List.of();
    }
    return rows;
  }

  private static Optional<String> stored(String type, String constant) {
    String insert =
        "INSERT INTO %s VALUES (-1, %s) RETURNING v::text".formatted(table(type), constant);
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(insert)) {
      row.next();
      String text = row.getString(1);
      statement.execute("DELETE FROM " + table(type) + " WHERE id = -1");
      return Optional.of(text);
    } catch (SQLException e) {
      return Optional.empty();
    }
  }

  private static Optional<Constant> constant(String sql) {
    int cast = sql.indexOf("::");
    String literal = cast < 0 ? sql : sql.substring(0, cast);
    Constant constant =
        literal.startsWith("'")
            ? Constant.quoted(literal.substring(1, literal.length() - 1))
            : Constant.number(literal);
    return cast < 0 ? Optional.of(constant) : constant.castTo(sql.substring(cast + 2));
  }

  private static String route(KeyType type, String text) {
    return HexFormat.of().formatHex(ShardKeyEncoder.encode(type, text));
  }

  private static Column column(String type) {
    return requireNonNull(COLUMNS.get(type));
  }

  private static KeyType keyType(String type) {
    return column(type).keyType().orElseThrow();
  }

  private static String table(String type) {
    return "odd.t" + List.copyOf(OddValues.VALUES.keySet()).indexOf(type);
  }
}
