package org.pgconcord.cdc.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pgconcord.cdc.Collector;
import org.pgconcord.cdc.StreamFixture;
import org.pgconcord.cdc.change.ChangeStream;
import org.pgconcord.cdc.change.RowChange;
import org.pgconcord.cdc.change.StreamName;
import org.pgconcord.cdc.slot.HeldSnapshot;
import org.pgconcord.cdc.slot.Publications;
import org.pgconcord.cdc.slot.SlotNames;
import org.pgconcord.cdc.slot.Slots;
import org.pgconcord.config.sharding.KeyType;
import org.pgconcord.config.value.Identifiers;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;
import org.pgconcord.gsi.RowImage;
import org.pgconcord.state.store.StateStore;
import org.pgconcord.testkit.cluster.ClusterRoles;
import org.pgconcord.testkit.cluster.ShardCluster;

/**
 * Each type that an index may use, at its edges: a value's text from the stream is the text that
 * the server gives for the row, byte for byte. The service role has settings of its own here, which
 * must not show.
 */
class ValueRoundTripIT {
  private static final TableName EDGES = new TableName("public", "edges");
  private static final StreamName STREAM = new StreamName("app", new ShardId("shard-a"));

  /** Type -> values, written as text. */
  private static final Map<String, List<String>> VALUES = new LinkedHashMap<>();

  static {
    VALUES.put("int2", List.of("-32768", "0", "32767"));
    VALUES.put("int4", List.of("-2147483648", "0", "2147483647"));
    VALUES.put("int8", List.of("-9223372036854775808", "0", "9223372036854775807"));
    VALUES.put("text", List.of("", " a ", "ä€𝄞", "\\x41", "unavailable", "a\nb\t'\"\\"));
    VALUES.put("varchar(20)", List.of("", "b  ", "ß"));
    VALUES.put("char(4)", List.of("", "c", "c  d", "äöüß"));
    VALUES.put(
        "uuid",
        List.of("00000000-0000-0000-0000-000000000000", "FFFFFFFF-ffff-4fff-bfff-ffffffffffff"));
    VALUES.put("bytea", List.of("\\x", "\\x00", "\\x00ff5c78"));
    VALUES.put(
        "date",
        List.of(
            "1970-01-01",
            "1582-10-10",
            "0044-03-15 BC",
            "4714-11-24 BC",
            "5874897-12-31",
            "infinity",
            "-infinity"));
    VALUES.put(
        "timestamp",
        List.of(
            "1970-01-01 00:00:00",
            "1969-12-31 23:59:59.999999",
            "2024-02-29 12:00:00.1",
            "0044-03-15 01:02:03.000001 BC",
            "4714-11-24 00:00:00 BC",
            "294247-01-10 04:00:54",
            "infinity",
            "-infinity"));
    VALUES.put("timestamp(0)", List.of("2024-02-29 12:00:00", "infinity"));
    VALUES.put("timestamp(3)", List.of("2024-02-29 12:00:00.120"));
    VALUES.put(
        "timestamptz",
        List.of(
            "1970-01-01 00:00:00+00",
            "2024-02-29 12:00:00.123456+05:30",
            "0044-03-15 01:02:03 BC",
            "4714-11-24 00:00:00+00 BC",
            "294276-12-31 23:59:59.999999+00",
            "infinity",
            "-infinity"));
    VALUES.put(
        "numeric",
        List.of(
            "0",
            "0.00",
            "-1.50",
            "1e20",
            "1e-12",
            "123456789012345678901234567890.123456789",
            "NaN",
            "Infinity",
            "-Infinity"));
    VALUES.put("numeric(10,2)", List.of("0", "-12345678.90", "NaN"));
  }

  /** What Debezium does not show exactly: better not known than wrong. */
  private static final Map<String, List<String>> UNREADABLE =
      Map.of(
          "timestamp", List.of("294276-12-31 23:59:59.999999"),
          "numeric", List.of("0." + "0".repeat(1_000) + "1"));

  private static ShardCluster cluster;
  private static StreamFixture fixture;

  @BeforeAll
  static void startServer() throws Exception {
    cluster = ShardCluster.start(1);
    fixture = new StreamFixture(cluster);
    try (Connection admin = cluster.asSuperuser(STREAM.shard())) {
      StreamFixture.execute(
          admin,
          "ALTER ROLE pgconcord SET bytea_output = 'escape'",
          "ALTER ROLE pgconcord SET DateStyle = 'German'",
          "ALTER ROLE pgconcord SET TimeZone = 'Asia/Kathmandu'",
          "ALTER ROLE pgconcord SET extra_float_digits = -5");
    }
  }

  @AfterAll
  static void stopServer() {
    cluster.close();
  }

  @Test
  void everyValueReadsAsTheServerPrintsIt(@TempDir Path directory) throws Exception {
    createTable();
    SlotNames names = new SlotNames("0123456789ab");
    Slots slots = new Slots(names, fixture);
    new Publications(names, fixture).publish(STREAM, EDGES, columns().keySet());
    try (HeldSnapshot snapshot = slots.create(STREAM)) {
      assertThat(snapshot.snapshotName()).isNotEmpty();
    }
    int rows = insertValues(VALUES, 0);
    int all = insertValues(UNREADABLE, rows);
    Collector heard = new Collector();
    try (StateStore store = StateStore.open(directory.resolve("state"));
        ChangeStream stream =
            new DebeziumStream(() -> settings(names), store, STREAM, () -> slots.guard(STREAM))) {
      stream.start(heard);
      await().atMost(Duration.ofSeconds(30)).until(() -> heard.changes().size() == all);
    }
    List<String> read =
        heard.changes().stream().map(RowChange::after).map(ValueRoundTripIT::text).toList();
    assertThat(read.subList(0, rows)).isEqualTo(printed().subList(0, rows));
    assertThat(read.subList(rows, all)).allMatch(text -> text.contains("is not known"));
  }

  private static void createTable() throws Exception {
    String columns =
        columnNames().entrySet().stream()
            .map(e -> e.getValue() + " " + e.getKey())
            .collect(Collectors.joining(", "));
    fixture.asOwner(
        STREAM.shard(),
        "CREATE TABLE edges (id int PRIMARY KEY, odd interval DEFAULT 'infinity', " + columns + ")",
        "ALTER TABLE edges REPLICA IDENTITY FULL");
  }

  /** Type -> column name. */
  private static Map<String, String> columnNames() {
    Map<String, String> names = new LinkedHashMap<>();
    VALUES.keySet().forEach(type -> names.put(type, "c" + names.size()));
    return names;
  }

  private static Map<String, KeyType> columns() {
    Map<String, KeyType> columns = new LinkedHashMap<>();
    Map<String, String> aliases =
        Map.of(
            "int2",
            "smallint",
            "int4",
            "integer",
            "int8",
            "bigint",
            "varchar(20)",
            "character varying(20)",
            "char(4)",
            "character(4)");
    columnNames()
        .forEach(
            (type, name) -> {
              String standard =
                  type.startsWith("timestamptz")
                      ? "timestamp with time zone"
                      : type.startsWith("timestamp")
                          ? "timestamp without time zone"
                          : aliases.getOrDefault(type, type);
              columns.put(name, KeyType.of(standard).orElseThrow());
            });
    return columns;
  }

  private static int insertValues(Map<String, List<String>> rows, int first) throws Exception {
    Map<String, String> names = columnNames();
    int id = first;
    try (Connection connection = cluster.asOwner(STREAM.shard());
        Statement statement = connection.createStatement()) {
      statement.execute("SET TimeZone = 'UTC'");
      for (Map.Entry<String, List<String>> type : rows.entrySet()) {
        for (String value : type.getValue()) {
          statement.execute(
              "INSERT INTO edges (id, %s) VALUES (%d, %s)"
                  .formatted(names.get(type.getKey()), id++, Identifiers.literal(value)));
        }
      }
    }
    return id;
  }

  private static List<String> printed() throws Exception {
    List<String> rows = new java.util.ArrayList<>();
    String columns =
        columnNames().values().stream()
            .map(name -> name + "::text")
            .collect(Collectors.joining(", "));
    try (Connection connection = fixture.open(STREAM);
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT " + columns + " FROM edges ORDER BY id")) {
      while (row.next()) {
        Map<String, @Nullable String> values = new LinkedHashMap<>();
        int column = 1;
        for (String name : columnNames().values()) {
          values.put(name, row.getString(column++));
        }
        rows.add(text(new RowImage(values)));
      }
    }
    return rows;
  }

  /**
   * The columns that have a value. A cast to text strips a char(n)'s blanks; the image has them.
   */
  private static String text(@Nullable RowImage image) {
    StringBuilder text = new StringBuilder();
    for (Map.Entry<String, String> column : columnNames().entrySet()) {
      String name = column.getValue();
      if (image == null || !image.knows(name)) {
        text.append(name).append(" is not known;");
      } else if (image.value(name) != null) {
        String value = String.valueOf(image.value(name));
        text.append(name)
            .append('=')
            .append(column.getKey().startsWith("char") ? value.stripTrailing() : value)
            .append(';');
      }
    }
    return text.toString();
  }

  private static SourceSettings settings(SlotNames names) {
    return new SourceSettings(
        STREAM,
        "127.0.0.1",
        cluster.shard(STREAM.shard()).port(),
        ShardCluster.DATABASE,
        ClusterRoles.SERVICE,
        "",
        "disable",
        names.slot(STREAM),
        names.publication(STREAM),
        Map.of(EDGES, columns()),
        SourceSettings.TRANSACTION_ROWS,
        SourceSettings.HEARTBEAT);
  }
}
