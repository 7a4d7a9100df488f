package org.pgconcord.config.catalog;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.ShardId;

/** Which partitions of an index's owner have been looked at, by shard. Blocks; any thread. */
public final class PartitionRows {
  private final CatalogConnection session;

  PartitionRows(CatalogConnection session) {
    this.session = session;
  }

  /** Those that are known; empty before the first look. */
  public Set<String> known(GsiName gsi, ShardId shard) {
    return session.read(
        connection -> {
          Set<String> parts = new TreeSet<>();
          try (PreparedStatement query =
              connection.prepareStatement(
                  "SELECT part FROM pgconcord.partition"
                      + " WHERE database = ? AND name = ? AND shard = ?")) {
            place(query, gsi, shard);
            try (ResultSet row = query.executeQuery()) {
              while (row.next()) {
                parts.add(row.getString(1));
              }
            }
          }
          return parts;
        });
  }

  /** These are all that there are now. */
  public void store(GsiName gsi, ShardId shard, Collection<String> parts) {
    session.write(
        connection -> {
          try (PreparedStatement delete =
                  connection.prepareStatement(
                      "DELETE FROM pgconcord.partition WHERE database = ? AND name = ? AND shard ="
                          + " ? AND part <> ALL (?)");
              PreparedStatement insert =
                  connection.prepareStatement(
                      "INSERT INTO pgconcord.partition (database, name, shard, part)"
                          + " SELECT ?, ?, ?, unnest(?::text[]) ON CONFLICT DO NOTHING")) {
            for (PreparedStatement each : new PreparedStatement[] {delete, insert}) {
              place(each, gsi, shard);
              each.setArray(4, connection.createArrayOf("text", parts.toArray()));
            }
            return delete.executeUpdate() + insert.executeUpdate();
          }
        });
  }

  private static void place(PreparedStatement statement, GsiName gsi, ShardId shard)
      throws SQLException {
    statement.setString(1, gsi.database());
    statement.setString(2, gsi.name());
    statement.setString(3, shard.uid());
  }
}
