package org.pgconcord.config.catalog;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.pgconcord.config.topology.Gsi;
import org.pgconcord.config.topology.Topology;
import org.pgconcord.config.topology.Topology.LogicalDatabase;
import org.pgconcord.config.value.TableName;

/**
 * The statements of {@link Catalog} about fences. A table has a row for its newest epoch and one
 * for each older one whose writers have not been seen to be gone; a daemon that dies in the middle
 * of a step therefore leaves what the next one has to finish.
 */
final class FenceRows {
  private FenceRows() {}

  static Fences newest(Connection connection) throws SQLException {
    Map<FencedTable, Long> epochs = new HashMap<>();
    undrained(connection).forEach((table, all) -> epochs.put(table, all.last()));
    return new Fences(epochs);
  }

  /** All rows: of each table the epochs whose writers may be open, the newest last. */
  static SortedMap<FencedTable, SortedSet<Long>> undrained(Connection connection)
      throws SQLException {
    SortedMap<FencedTable, SortedSet<Long>> epochs = new TreeMap<>();
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery("SELECT database, schema, name, epoch FROM pgconcord.fence")) {
      while (row.next()) {
        FencedTable table =
            new FencedTable(row.getString(1), new TableName(row.getString(2), row.getString(3)));
        epochs.computeIfAbsent(table, t -> new TreeSet<>()).add(row.getLong(4));
      }
    }
    return epochs;
  }

  /** The writers of these tables have other duties from this revision on. */
  static void raise(Connection connection, Collection<FencedTable> tables, long revision)
      throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement(
            "INSERT INTO pgconcord.fence (database, schema, name, epoch) VALUES (?, ?, ?, ?)"
                + " ON CONFLICT DO NOTHING")) {
      for (FencedTable table : tables) {
        bind(insert, table, revision);
        insert.executeUpdate();
      }
    }
  }

  /** Nobody can write the table any more under an epoch below this one. */
  static int drained(Connection connection, FencedTable table, long epoch) throws SQLException {
    try (PreparedStatement delete =
        connection.prepareStatement(
            "DELETE FROM pgconcord.fence"
                + " WHERE database = ? AND schema = ? AND name = ? AND epoch < ?")) {
      bind(delete, table, epoch);
      return delete.executeUpdate();
    }
  }

  private static void bind(PreparedStatement statement, FencedTable table, long epoch)
      throws SQLException {
    statement.setString(1, table.database());
    statement.setString(2, table.table().schema());
    statement.setString(3, table.table().name());
    statement.setLong(4, epoch);
  }

  /** The fenced tables whose declaration differs between two documents, new ones among them. */
  static SortedSet<FencedTable> changed(Optional<Topology> before, Topology after) {
    SortedSet<FencedTable> changed = new TreeSet<>();
    for (FencedTable table : Fences.tables(after)) {
      boolean same =
          before.isPresent()
              && Fences.tables(before.get()).contains(table)
              && declaration(before.get(), table).equals(declaration(after, table));
      if (!same) {
        changed.add(table);
      }
    }
    return changed;
  }

  /** A wish changes nothing by itself: what follows from it is a step. */
  private static List<Object> declaration(Topology topology, FencedTable table) {
    LogicalDatabase database = topology.database(table.database()).orElseThrow();
    List<Gsi> indexes = database.gsisOf(table.table()).stream().map(Gsi::withoutWish).toList();
    return List.of(database.placement(table.table()), indexes);
  }
}
