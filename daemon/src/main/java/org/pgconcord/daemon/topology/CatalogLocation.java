package org.pgconcord.daemon.topology;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.settings.DaemonSettings;
import org.pgconcord.config.settings.ShardConnections;
import org.pgconcord.config.topology.Topology;
import org.pgconcord.config.value.ShardId;

/**
 * Finds the shard that holds the catalog. Only the topology names it, and the topology is in the
 * catalog; so every configured shard is asked, and the topology file decides only when none has a
 * catalog yet. A shard that cannot be asked might be the one: then nothing is decided.
 */
public final class CatalogLocation {
  private CatalogLocation() {}

  public static ShardId find(
      DaemonSettings settings, ShardConnections connections, Optional<Topology> file) {
    List<ShardId> holders = new ArrayList<>();
    Optional<ConcordException> unreachable = Optional.empty();
    for (ShardId shard : settings.shards().keySet()) {
      try (Connection connection = connections.open(shard, settings.catalogDatabase())) {
        if (hasCatalog(connection)) {
          holders.add(shard);
        }
      } catch (ConcordException e) {
        unreachable = Optional.of(e);
      } catch (SQLException e) {
        unreachable =
            Optional.of(
                ErrorCode.SHARD_UNREACHABLE
                    .because("shard " + shard + " cannot be asked: " + e.getMessage())
                    .withCause(e));
      }
    }
    if (holders.size() > 1) {
      throw ErrorCode.CONFIG_INVALID.because(
          "several shards hold a catalog: " + holders + "; they belong to different clusters");
    }
    if (holders.size() == 1) {
      return holders.get(0);
    }
    if (unreachable.isPresent()) {
      throw unreachable.get();
    }
    return file.map(Topology::authoritativeShard)
        .orElseThrow(
            () ->
                ErrorCode.CONFIG_INVALID.because(
                    "no shard holds a catalog yet and the configuration names no topology file"));
  }

  private static boolean hasCatalog(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery("SELECT to_regclass('pgconcord.cluster') IS NOT NULL")) {
      row.next();
      return row.getBoolean(1);
    }
  }
}
