package org.pgconcord.config.schema;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.pgconcord.config.sharding.KeyType;
import org.pgconcord.config.value.TableName;

/**
 * Reads tables from one shard's catalog: three queries for any number of tables. It runs inside the
 * caller's transaction and needs no right on the tables themselves.
 */
public final class SchemaReader {
  /** A default that looks its sequence up by name. */
  private static final Numbering UNKNOWN_SEQUENCE =
      new Numbering(
          new TableName("?", "?"),
          false,
          1,
          1,
          1,
          Long.MAX_VALUE,
          Optional.of("its default looks a sequence up by its name"));

  /** int8, int2, int4, numeric. */
  private static final Set<Integer> NUMBERS = Set.of(20, 21, 23, 1700);

  private final Connection connection;
  private final Map<Long, Parts> parts = new LinkedHashMap<>();

  private SchemaReader(Connection connection) {
    this.connection = connection;
  }

  /** A table under construction. */
  private record Parts(
      TableName name,
      char relkind,
      char replicaIdentity,
      boolean rowSecurity,
      long rowsEstimated,
      boolean hiddenEffects,
      Family family,
      List<Column> columns,
      List<UniqueKey> uniqueKeys,
      List<List<String>> indexes,
      Map<Character, List<String>> identityIndexes) {}

  /** The tables that exist, of those asked for; relations of any kind count. */
  public static Map<TableName, TableSchema> read(
      Connection connection, Collection<TableName> tables) throws SQLException {
    SchemaReader reader = new SchemaReader(connection);
    reader.relations(tables);
    Map<TableName, TableSchema> result = new HashMap<>();
    if (!reader.parts.isEmpty()) {
      reader.columns();
      reader.indexes();
      reader.parts.values().forEach(p -> result.put(p.name(), finish(p)));
    }
    return result;
  }

  /** How the connected database encodes and sorts text. */
  public static DatabaseSchema database(Connection connection) throws SQLException {
    try (PreparedStatement query = connection.prepareStatement(SchemaSql.DATABASE);
        ResultSet row = query.executeQuery()) {
      row.next();
      return new DatabaseSchema(
          row.getString(1), row.getString(2), row.getString(3), row.getString(4));
    }
  }

  private static TableSchema finish(Parts parts) {
    return new TableSchema(
        parts.name(),
        parts.relkind(),
        parts.columns(),
        parts.uniqueKeys(),
        parts.indexes(),
        parts.replicaIdentity(),
        identity(parts),
        parts.rowSecurity(),
        parts.rowsEstimated(),
        parts.hiddenEffects(),
        parts.family(),
        ShardDifferences.NONE);
  }

  private static List<String> identity(Parts parts) {
    return parts.replicaIdentity() == 'f'
        ? parts.columns().stream().map(Column::name).toList()
        : parts.identityIndexes().getOrDefault(parts.replicaIdentity(), List.of());
  }

  private void relations(Collection<TableName> tables) throws SQLException {
    try (PreparedStatement query = connection.prepareStatement(SchemaSql.RELATIONS)) {
      query.setArray(1, texts(tables.stream().map(TableName::schema).toList()));
      query.setArray(2, texts(tables.stream().map(TableName::name).toList()));
      try (ResultSet row = query.executeQuery()) {
        while (row.next()) {
          parts.put(
              row.getLong(1),
              new Parts(
                  new TableName(row.getString(2), row.getString(3)),
                  row.getString(4).charAt(0),
                  row.getString(5).charAt(0),
                  row.getBoolean(6),
                  row.getLong(7),
                  row.getBoolean(8),
                  new Family(names(row, 9), names(row, 10), names(row, 11), names(row, 12)),
                  new ArrayList<>(),
                  new ArrayList<>(),
                  new ArrayList<>(),
                  new HashMap<>()));
        }
      }
    }
  }

  private static List<String> names(ResultSet row, int at) throws SQLException {
    return List.of((String[]) row.getArray(at).getArray());
  }

  private void columns() throws SQLException {
    try (PreparedStatement query = connection.prepareStatement(SchemaSql.COLUMNS)) {
      query.setArray(1, oids());
      query.setArray(2, oids());
      try (ResultSet row = query.executeQuery()) {
        while (row.next()) {
          parts(row).columns().add(column(row));
        }
      }
    }
  }

  private static Column column(ResultSet row) throws SQLException {
    String kind = row.getString(11);
    Optional<KeyType> keyType =
        kind.equals("e") ? Optional.of(KeyType.ENUM) : KeyType.of((int) row.getLong(10));
    return new Column(
        row.getString(2),
        row.getInt(3),
        (int) row.getLong(4),
        row.getString(5),
        row.getString(6),
        row.getBoolean(7),
        row.getBoolean(8),
        row.getBoolean(9),
        row.getBoolean(12),
        keyType,
        numbering(row),
        new Column.Base((int) row.getLong(10), row.getString(15)),
        row.getBoolean(23) ? "" : Objects.requireNonNullElse(row.getString(24), ""));
  }

  private static Optional<Numbering> numbering(ResultSet row) throws SQLException {
    long start = row.getLong(13);
    if (row.wasNull()) {
      return row.getBoolean(23) ? Optional.of(UNKNOWN_SEQUENCE) : Optional.empty();
    }
    return Optional.of(
        new Numbering(
            new TableName(row.getString(16), row.getString(17)),
            row.getBoolean(18),
            start,
            row.getLong(14),
            row.getLong(19),
            row.getLong(20),
            unfit(row)));
  }

  private static Optional<String> unfit(ResultSet row) throws SQLException {
    if (!row.getBoolean(22)) {
      return Optional.of("its default is more than a sequence's next number");
    } else if (row.getBoolean(21)) {
      return Optional.of("its sequence would begin again (CYCLE)");
    }
    return NUMBERS.contains((int) row.getLong(10))
        ? Optional.empty()
        : Optional.of("its type is no number");
  }

  private void indexes() throws SQLException {
    try (PreparedStatement query = connection.prepareStatement(SchemaSql.INDEXES)) {
      query.setArray(1, oids());
      try (ResultSet row = query.executeQuery()) {
        while (row.next()) {
          index(parts(row), row);
        }
      }
    }
  }

  private static void index(Parts table, ResultSet row) throws SQLException {
    List<String> columns = List.of((String[]) row.getArray(3).getArray());
    boolean unique = row.getBoolean(4);
    boolean primary = row.getBoolean(5);
    boolean searchable = row.getBoolean(6);
    boolean immediate = row.getBoolean(7);
    if (unique) {
      table
          .uniqueKeys()
          .add(new UniqueKey(row.getString(2), columns, primary, searchable && immediate));
    }
    if (searchable) {
      table.indexes().add(columns);
    }
    if (primary && immediate) {
      table.identityIndexes().put('d', columns);
    }
    if (row.getBoolean(8)) {
      table.identityIndexes().put('i', columns);
    }
  }

  private Parts parts(ResultSet row) throws SQLException {
    return java.util.Objects.requireNonNull(parts.get(row.getLong(1)));
  }

  private Array texts(List<String> values) throws SQLException {
    return connection.createArrayOf("text", values.toArray());
  }

  private Array oids() throws SQLException {
    return connection.createArrayOf("oid", parts.keySet().toArray());
  }
}
