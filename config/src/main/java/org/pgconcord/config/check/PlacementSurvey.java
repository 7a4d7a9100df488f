package org.pgconcord.config.check;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.schema.Column;
import org.pgconcord.config.schema.SchemaReader;
import org.pgconcord.config.schema.TableSchema;
import org.pgconcord.config.settings.ShardConnections;
import org.pgconcord.config.sharding.KeyType;
import org.pgconcord.config.sharding.ShardLocator;
import org.pgconcord.config.topology.Finding;
import org.pgconcord.config.topology.Placement;
import org.pgconcord.config.topology.Rule;
import org.pgconcord.config.topology.Topology;
import org.pgconcord.config.topology.Topology.LogicalDatabase;
import org.pgconcord.config.value.Counted;
import org.pgconcord.config.value.Identifiers;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;

/**
 * Counts rows that are on another shard than their key's. A document that is wrong about where rows
 * are would make reads by key silently short, so rows are looked at before it is believed: the
 * distinct keys of each shard, with their numbers of rows, are routed here.
 */
public final class PlacementSurvey {
  /** Above this many rows on a shard a sample of about as many is looked at instead. */
  private static final long WHOLE_TABLE_ROWS = 2_000_000;

  private static final int FETCH_ROWS = 10_000;

  /** The state of a role without the right to read a table; the doctor speaks of that. */
  private static final String INSUFFICIENT_PRIVILEGE = "42501";

  private final ShardConnections connections;

  public PlacementSurvey(ShardConnections connections) {
    this.connections = connections;
  }

  /**
   * Findings about tables whose placement is not what it was.
   *
   * @param current what is applied now; empty looks at every table
   * @throws org.pgconcord.config.error.ConcordException when a shard cannot be asked
   */
  public List<Finding> changed(Optional<Topology> current, Topology next) {
    List<Finding> findings = new ArrayList<>();
    for (LogicalDatabase database : next.databases().values()) {
      Map<TableName, Placement> changed = new TreeMap<>(database.tables());
      current
          .flatMap(topology -> topology.database(database.name()))
          .ifPresent(old -> changed.entrySet().removeIf(t -> isAsBefore(old, t)));
      changed.values().removeIf(placement -> !isChecked(placement));
      if (!changed.isEmpty()) {
        next.shards().forEach(shard -> findings.addAll(onShard(database.name(), shard, changed)));
      }
    }
    return findings;
  }

  private static boolean isAsBefore(LogicalDatabase old, Map.Entry<TableName, Placement> table) {
    return old.placement(table.getKey()).equals(table.getValue());
  }

  /** Copies and entries have verifications of their own. */
  private static boolean isChecked(Placement placement) {
    return placement instanceof Placement.Sharded || placement instanceof Placement.Unsharded;
  }

  private List<Finding> onShard(
      String database, ShardId shard, Map<TableName, Placement> placements) {
    List<Finding> findings = new ArrayList<>();
    try (Connection connection = connections.open(shard, database)) {
      Map<TableName, TableSchema> schemas =
          new TreeMap<>(SchemaReader.read(connection, placements.keySet()));
      connection.setAutoCommit(false);
      for (TableSchema schema : schemas.values()) {
        Placement placement = java.util.Objects.requireNonNull(placements.get(schema.name()));
        count(connection, schema, placement, shard).ifPresent(findings::add);
      }
      connection.rollback();
    } catch (SQLException e) {
      throw ErrorCode.SHARD_UNREACHABLE
          .because("the rows of shard " + shard + " cannot be counted")
          .withDetail(String.valueOf(e.getMessage()))
          .withCause(e);
    }
    return findings;
  }

  private static Optional<Finding> count(
      Connection connection, TableSchema schema, Placement placement, ShardId shard)
      throws SQLException {
    if (placement instanceof Placement.Unsharded one && one.shard().equals(shard)) {
      return Optional.empty();
    }
    List<String> key = List.of();
    Optional<ShardLocator> locator = Optional.empty();
    if (placement instanceof Placement.Sharded sharded) {
      key = sharded.index().columns();
      locator = locator(schema, sharded);
      if (locator.isEmpty()) {
        return Optional.empty();
      }
    }
    return count(connection, query(schema, key), locator, shard)
        .filter(tally -> tally.misplaced > 0)
        .map(tally -> Rule.SCHEMA_MISPLACED_ROWS.at(schema.name().toString(), tally.on(shard)));
  }

  /** Empty for columns that have no routing value: a finding of their own says so. */
  private static Optional<ShardLocator> locator(TableSchema schema, Placement.Sharded sharded) {
    List<KeyType> types =
        sharded.index().columns().stream()
            .flatMap(name -> schema.column(name).flatMap(Column::keyType).stream())
            .toList();
    return ShardLocator.accepts(sharded.index(), types)
        ? Optional.of(new ShardLocator(sharded.group(), sharded.index(), types))
        : Optional.empty();
  }

  /** The distinct keys with their numbers of rows; without key columns the number of all rows. */
  private static String query(TableSchema schema, List<String> key) {
    boolean sampled = schema.rowsEstimated() > WHOLE_TABLE_ROWS;
    String sample =
        sampled
            ? " TABLESAMPLE SYSTEM (" + 100.0 * WHOLE_TABLE_ROWS / schema.rowsEstimated() + ")"
            : "";
    String columns = key.stream().map(Identifiers::quote).collect(Collectors.joining(", "));
    String texts =
        key.stream()
            .map(name -> Identifiers.quote(name) + "::text, ")
            .collect(Collectors.joining());
    String from = " FROM " + schema.name().quoted() + sample;
    return key.isEmpty()
        ? "SELECT count(*)" + from
        : "SELECT " + texts + "count(*)" + from + " GROUP BY " + columns;
  }

  /** Rows seen, and those that belong elsewhere. */
  private static final class Tally {
    private long rows;
    private long misplaced;

    private String on(ShardId shard) {
      return misplaced
          + " of "
          + Counted.of(rows, "row")
          + " looked at on "
          + shard
          + (misplaced == 1 ? " belongs elsewhere" : " belong elsewhere");
    }
  }

  /** Empty when the table may not be read. A key that is NULL has no shard and counts as wrong. */
  private static Optional<Tally> count(
      Connection connection, String query, Optional<ShardLocator> locator, ShardId shard)
      throws SQLException {
    Tally tally = new Tally();
    try (Statement statement = connection.createStatement()) {
      statement.setFetchSize(FETCH_ROWS);
      try (ResultSet row = statement.executeQuery(query)) {
        while (row.next()) {
          int columns = locator.map(l -> l.types().size()).orElse(0);
          Optional<ShardId> home = key(row, columns).flatMap(k -> locator.map(l -> l.locate(k)));
          boolean here = home.filter(shard::equals).isPresent();
          long rows = row.getLong(columns + 1);
          tally.rows += rows;
          tally.misplaced += here ? 0 : rows;
        }
      }
      return Optional.of(tally);
    } catch (SQLException e) {
      if (INSUFFICIENT_PRIVILEGE.equals(e.getSQLState())) {
        connection.rollback();
        return Optional.empty();
      }
      throw e;
    }
  }

  /** Empty when one of the columns is NULL. */
  private static Optional<List<String>> key(ResultSet row, int columns) throws SQLException {
    List<String> key = new ArrayList<>();
    for (int i = 1; i <= columns; i++) {
      String text = row.getString(i);
      if (text == null) {
        return Optional.empty();
      }
      key.add(text);
    }
    return Optional.of(key);
  }
}
