package org.pgconcord.testkit.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Test;
import org.pgconcord.testkit.RequiredTools;
import org.pgconcord.testkit.cluster.ShardCluster;

/** The golden vectors against two judges that share no code with the product. */
final class GoldenVectorsIT {
  private static final Path DOCS = Path.of("..", "docs");

  /** Canonical bytes as docs/routing.md gives them in SQL. */
  private static final Map<String, String> IN_SQL =
      Map.ofEntries(
          Map.entry("INT", "int8send(?::text::int8)"),
          Map.entry("TEXT", "convert_to(?::text, 'UTF8')"),
          Map.entry("ENUM", "convert_to(?::text, 'UTF8')"),
          Map.entry("BPCHAR", "convert_to(?::text::bpchar::text, 'UTF8')"),
          Map.entry("UUID", "uuid_send(?::text::uuid)"),
          Map.entry("BYTEA", "?::text::bytea"),
          Map.entry("FLOAT4", "float8send(?::text::float4::float8 + 0)"),
          Map.entry("FLOAT8", "float8send(?::text::float8 + 0)"),
          Map.entry("NUMERIC", "convert_to(trim_scale(?::text::numeric)::text, 'UTF8')"),
          Map.entry(
              "DATE", "int8send(('x' || encode(date_send(?::text::date), 'hex'))::bit(32)::int)"),
          Map.entry("TIMESTAMP", "timestamp_send(?::text::timestamp)"),
          Map.entry("TIMESTAMPTZ", "timestamptz_send(?::text::timestamptz)"));

  @Test
  void xxhsumAgrees() throws IOException, InterruptedException {
    RequiredTools.require("xxhsum");
    Process check =
        new ProcessBuilder("bash", "routing-vectors.sh")
            .directory(DOCS.toFile())
            .redirectErrorStream(true)
            .start();
    String output = new String(check.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(check.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(output).endsWith("vectors agree\n");
    assertThat(check.exitValue()).isZero();
  }

  @Test
  void aServersOwnBinaryFormsAgree() throws SQLException, IOException {
    SoftAssertions all = new SoftAssertions();
    try (ShardCluster cluster = ShardCluster.start(1);
        Connection connection = Shards.connections(cluster).open(Shards.A, "app")) {
      for (String[] vector : vectors("routing-vectors.tsv")) {
        String text = vector[1].substring(1, vector[1].length() - 1);
        all.assertThat("x" + ask(connection, vector[0], unescaped(text)))
            .as(vector[0] + " " + text)
            .isEqualTo(vector[2]);
      }
    }
    all.assertAll();
  }

  /** Composite keys, buckets and bounds, computed by the server alone. */
  @Test
  void aServerAgreesAboutKeysBucketsAndBounds() throws SQLException, IOException {
    SoftAssertions all = new SoftAssertions();
    try (ShardCluster cluster = ShardCluster.start(1);
        Connection connection = Shards.connections(cluster).open(Shards.A, "app")) {
      for (String[] vector : vectors("routing-index-vectors.tsv")) {
        String[] values = vector[2].substring(1, vector[2].length() - 1).split("','", -1);
        String made =
            switch (vector[0]) {
              case "composite" -> "x" + composite(connection, vector[1].split(","), values);
              case "modulo" ->
                  one(connection, "SELECT mod(mod($1, $2) + $2, $2)", values[0], vector[1]);
              default ->
                  one(
                      connection,
                      "SELECT CASE WHEN $1 < $2 THEN 'below' ELSE 'from' END",
                      values[0],
                      new java.math.BigInteger(vector[1], 16).toString());
            };
        all.assertThat(made).as(String.join(" ", vector)).isEqualTo(vector[3]);
      }
    }
    all.assertAll();
  }

  /** {@code int4send(octet_length(b)) || b} for each column's bytes. */
  private static String composite(Connection connection, String[] types, String[] values)
      throws SQLException {
    StringBuilder hex = new StringBuilder();
    for (int i = 0; i < types.length; i++) {
      String bytes = ask(connection, types[i], unescaped(values[i]));
      hex.append(
          one(
              connection,
              "SELECT encode(int4send(octet_length(b)) || b, 'hex')"
                  + " FROM (SELECT decode($1, 'hex') AS b) AS part",
              "'" + bytes + "'"));
    }
    return hex.toString();
  }

  private static String one(Connection connection, String sql, String... literals)
      throws SQLException {
    String text = sql;
    for (int i = 0; i < literals.length; i++) {
      boolean number = !literals[i].startsWith("'");
      text = text.replace("$" + (i + 1), number ? "(" + literals[i] + "::numeric)" : literals[i]);
    }
    try (java.sql.Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(text)) {
      row.next();
      return row.getString(1);
    }
  }

  private static String ask(Connection connection, String type, String text) throws SQLException {
    String expression = IN_SQL.get(type);
    try (PreparedStatement query =
        connection.prepareStatement("SELECT encode(" + expression + ", 'hex')")) {
      query.setString(1, text);
      try (ResultSet row = query.executeQuery()) {
        row.next();
        return row.getString(1);
      }
    }
  }

  private static List<String[]> vectors(String table) throws IOException {
    return Files.readAllLines(DOCS.resolve(table)).stream()
        .filter(line -> !line.startsWith("#"))
        .map(line -> line.split("\t", -1))
        .toList();
  }

  private static String unescaped(String text) {
    return text.replace("\\n", "\n").replace("\\t", "\t").replace("\\\\", "\\");
  }
}
