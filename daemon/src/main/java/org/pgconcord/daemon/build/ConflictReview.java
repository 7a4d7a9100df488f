package org.pgconcord.daemon.build;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Set;
import java.util.TreeSet;
import org.pgconcord.config.catalog.Conflict;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.Identifiers;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.gsi.LookupIndex;

/**
 * Looks again at the listed conflicts: a key that has one owner row at most, over all shards, is
 * one no longer. It changes no entry; that is for the streams, and for the verification that comes
 * after it to prove.
 */
final class ConflictReview {
  private static final int CONFLICTS_MAX = 10_000;

  private final EngineServices services;

  ConflictReview(EngineServices services) {
    this.services = services;
  }

  void run(LookupIndex index) {
    Set<String> keys = new TreeSet<>();
    for (Conflict conflict : services.catalog().conflicts(index.name(), CONFLICTS_MAX)) {
      keys.add(conflict.key());
    }
    for (String key : keys) {
      if (owners(index, key) <= 1) {
        services.catalog().resolveConflict(index.name(), key);
      }
    }
  }

  private long owners(LookupIndex index, String key) {
    String sql =
        "SELECT count(*) FROM %s WHERE %s = CAST(? AS text)::%s"
            .formatted(
                index.gsi().owner().quoted(),
                Identifiers.quote(index.keyColumn().name()),
                index.keyColumn().type());
    long rows = 0;
    for (ShardId shard : index.ownerShards()) {
      try (Connection connection = services.sessions().open(shard);
          PreparedStatement statement = connection.prepareStatement(sql)) {
        statement.setString(1, key);
        try (ResultSet row = statement.executeQuery()) {
          row.next();
          rows += row.getLong(1);
        }
      } catch (SQLException e) {
        throw ErrorCode.SHARD_UNREACHABLE
            .because("shard " + shard + " does not answer: " + e.getMessage())
            .withCause(e);
      }
    }
    return rows;
  }
}
