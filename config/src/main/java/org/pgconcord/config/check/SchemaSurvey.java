package org.pgconcord.config.check;

import java.math.BigDecimal;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.schema.DatabaseSchema;
import org.pgconcord.config.schema.SchemaReader;
import org.pgconcord.config.schema.TableSchema;
import org.pgconcord.config.settings.ShardConnections;
import org.pgconcord.config.topology.Placement;
import org.pgconcord.config.topology.Topology;
import org.pgconcord.config.topology.Topology.LogicalDatabase;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;

/** Reads the surveys of all logical databases of a topology from its shards. */
public final class SchemaSurvey {
  /** Tables of users' schemas; a partition's rows count for its root. */
  private static final String USER_TABLES =
      """
      SELECT n.nspname, c.relname,
             pg_catalog.has_schema_privilege(n.oid, 'USAGE')
               AND pg_catalog.has_table_privilege(c.oid, 'SELECT'),
             coalesce((SELECT sum(pg_catalog.pg_relation_size(p.relid))
                       FROM pg_catalog.pg_partition_tree(c.oid) p),
                      pg_catalog.pg_relation_size(c.oid)) > 0
      FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relpersistence <> 't'
        AND n.nspname NOT IN ('pgconcord', 'pg_catalog', 'information_schema')
        AND n.nspname NOT LIKE 'pg\\_%'
      """;

  /** Whatever reads the given tables, through any number of views and inheritance steps. */
  private static final String READERS =
      """
      WITH RECURSIVE reached(oid) AS (
        SELECT c.oid
        FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
        WHERE (n.nspname::text, c.relname::text) IN (SELECT * FROM unnest(?::text[], ?::text[]))
        UNION
        SELECT next.oid
        FROM reached,
             LATERAL (
               SELECT r.ev_class
               FROM pg_catalog.pg_depend d JOIN pg_catalog.pg_rewrite r ON r.oid = d.objid
               WHERE d.classid = 'pg_catalog.pg_rewrite'::regclass
                 AND d.refclassid = 'pg_catalog.pg_class'::regclass
                 AND d.refobjid = reached.oid
               UNION ALL
               SELECT inhrelid FROM pg_catalog.pg_inherits WHERE inhparent = reached.oid
               UNION ALL
               SELECT inhparent FROM pg_catalog.pg_inherits WHERE inhrelid = reached.oid
             ) next(oid)
      )
      SELECT n.nspname, c.relname
      FROM reached
           JOIN pg_catalog.pg_class c ON c.oid = reached.oid
           JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f')
      """;

  /** Relations of users' schemas by one of the given names, whatever their schema. */
  private static final String NAMESAKES =
      """
      SELECT n.nspname, c.relname
      FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relname = ANY (?::text[]) AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
        AND n.nspname NOT IN ('pgconcord', 'pg_catalog', 'information_schema')
        AND n.nspname NOT LIKE 'pg\\_%'
      """;

  /** Only what the role may read. */
  private static final String SEQUENCES =
      """
      SELECT n.nspname, c.relname, pg_catalog.pg_sequence_last_value(c.oid)
      FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      WHERE CASE WHEN c.relkind = 'S' AND n.nspname <> 'pgconcord' AND c.relpersistence <> 't'
                 THEN pg_catalog.has_sequence_privilege(c.oid, 'USAGE, SELECT') ELSE false END
      """;

  private static final String NUMBERS_THERE =
      """
      SELECT pg_catalog.to_regclass('pgconcord.sequence') IS NOT NULL
        AND pg_catalog.has_schema_privilege('pgconcord', 'USAGE')
        AND pg_catalog.has_table_privilege('pgconcord.sequence', 'SELECT')
      """;

  private static final String NUMBERS = "SELECT schema_name, name, next FROM pgconcord.sequence";

  private final ShardConnections connections;

  public SchemaSurvey(ShardConnections connections) {
    this.connections = connections;
  }

  /**
   * Logical database -> its survey.
   *
   * @throws org.pgconcord.config.error.ConcordException when a shard cannot be reached or asked
   */
  public Map<String, Survey> read(Topology topology) {
    Map<String, Survey> surveys = new LinkedHashMap<>();
    topology
        .databases()
        .values()
        .forEach(database -> surveys.put(database.name(), survey(topology, database)));
    return surveys;
  }

  private Survey survey(Topology topology, LogicalDatabase database) {
    Map<ShardId, DatabaseSchema> databases = new HashMap<>();
    Map<ShardId, Map<TableName, TableSchema>> tables = new HashMap<>();
    Map<ShardId, Set<TableName>> undeclared = new HashMap<>();
    Set<TableName> readers = new HashSet<>();
    Set<TableName> namesakes = new HashSet<>();
    Map<ShardId, Map<TableName, Long>> sequences = new HashMap<>();
    Map<TableName, BigDecimal> numbers = new HashMap<>();
    List<CodeFacts> code = new ArrayList<>();
    for (ShardId shard : topology.shards()) {
      try (Connection connection = connections.open(shard, database.name())) {
        databases.put(shard, SchemaReader.database(connection));
        tables.put(shard, SchemaReader.read(connection, database.tables().keySet()));
        undeclared.put(shard, undeclaredRows(connection, database));
        readers.addAll(readers(connection, database));
        namesakes.addAll(namesakes(connection, database));
        sequences.put(shard, sequences(connection));
        code.add(CodeSurvey.read(connection));
        if (shard.equals(topology.authoritativeShard())) {
          numbers.putAll(numbers(connection));
        }
      } catch (SQLException e) {
        throw ErrorCode.SHARD_UNREACHABLE
            .because("the schema of shard " + shard + " cannot be read")
            .withDetail(String.valueOf(e.getMessage()))
            .withCause(e);
      }
    }
    Survey plain = new Survey(databases, tables, undeclared, readers, namesakes);
    CodeReach reach = CodeReach.of(database, code, TopologyCheck.misplaced(database, plain));
    readers.addAll(reach.readers());
    return new Survey(
        databases, tables, undeclared, readers, namesakes, sequences, numbers, reach.code());
  }

  private static Map<TableName, Long> sequences(Connection connection) throws SQLException {
    Map<TableName, Long> sequences = new HashMap<>();
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(SEQUENCES)) {
      while (row.next()) {
        long last = row.getLong(3);
        if (!row.wasNull()) {
          sequences.put(new TableName(row.getString(1), row.getString(2)), last);
        }
      }
    }
    return sequences;
  }

  private static Map<TableName, BigDecimal> numbers(Connection connection) throws SQLException {
    Map<TableName, BigDecimal> numbers = new HashMap<>();
    try (Statement statement = connection.createStatement()) {
      try (ResultSet there = statement.executeQuery(NUMBERS_THERE)) {
        if (!there.next() || !there.getBoolean(1)) {
          return numbers;
        }
      }
      try (ResultSet row = statement.executeQuery(NUMBERS)) {
        while (row.next()) {
          numbers.put(new TableName(row.getString(1), row.getString(2)), row.getBigDecimal(3));
        }
      }
    }
    return numbers;
  }

  private static Set<TableName> readers(Connection connection, LogicalDatabase database)
      throws SQLException {
    List<TableName> spread = new ArrayList<>();
    database
        .tables()
        .forEach(
            (table, placement) -> {
              if (placement instanceof Placement.Sharded || placement instanceof Placement.Lookup) {
                spread.add(table);
              }
            });
    Set<TableName> readers = new HashSet<>();
    try (PreparedStatement query = connection.prepareStatement(READERS)) {
      query.setArray(1, texts(connection, spread.stream().map(TableName::schema).toArray()));
      query.setArray(2, texts(connection, spread.stream().map(TableName::name).toArray()));
      try (ResultSet row = query.executeQuery()) {
        while (row.next()) {
          TableName reader = new TableName(row.getString(1), row.getString(2));
          if (!database.tables().containsKey(reader)) {
            readers.add(reader);
          }
        }
      }
    }
    return readers;
  }

  private static Set<TableName> namesakes(Connection connection, LogicalDatabase database)
      throws SQLException {
    Set<TableName> namesakes = new HashSet<>();
    try (PreparedStatement query = connection.prepareStatement(NAMESAKES)) {
      query.setArray(
          1, texts(connection, database.tables().keySet().stream().map(TableName::name).toArray()));
      try (ResultSet row = query.executeQuery()) {
        while (row.next()) {
          namesakes.add(new TableName(row.getString(1), row.getString(2)));
        }
      }
    }
    namesakes.removeAll(database.tables().keySet());
    return namesakes;
  }

  private static Array texts(Connection connection, Object[] values) throws SQLException {
    return connection.createArrayOf("text", values);
  }

  private static Set<TableName> undeclaredRows(Connection connection, LogicalDatabase database)
      throws SQLException {
    Map<TableName, Boolean> sizes = new HashMap<>();
    Set<TableName> readable = new HashSet<>();
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(USER_TABLES)) {
      while (row.next()) {
        TableName table = new TableName(row.getString(1), row.getString(2));
        if (!database.tables().containsKey(table)) {
          sizes.put(table, row.getBoolean(4));
          if (row.getBoolean(3)) {
            readable.add(table);
          }
        }
      }
    }
    Set<TableName> withRows = new HashSet<>();
    for (Map.Entry<TableName, Boolean> table : sizes.entrySet()) {
      boolean counts =
          table.getValue()
              && (!readable.contains(table.getKey()) || hasRow(connection, table.getKey()));
      if (counts) {
        withRows.add(table.getKey());
      }
    }
    return withRows;
  }

  /** A table of some size may hold only dead rows; one that cannot be read counts as filled. */
  private static boolean hasRow(Connection connection, TableName table) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery("SELECT EXISTS (SELECT 1 FROM " + table.quoted() + ")")) {
      return row.next() && row.getBoolean(1);
    }
  }
}
