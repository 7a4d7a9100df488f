package org.pgconcord.daemon.build;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.pgconcord.config.catalog.Conflict;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.Tuple;
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
      if (owners(index, Tuple.read(key, index.identity().size())) <= 1) {
        services.catalog().resolveConflict(index.name(), key);
      }
    }
  }

  private long owners(LookupIndex index, Tuple identity) {
    String sql =
        "SELECT count(*) FROM %s WHERE %s"
            .formatted(
                index.gsi().owner().quoted(),
                index.identity().stream()
                    .map(c -> c.quoted() + " = CAST(? AS text)::" + c.sqlType())
                    .collect(Collectors.joining(" AND ")));
    long rows = 0;
    for (ShardId shard : index.ownerShards()) {
      try (Connection connection = services.sessions().open(shard);
          PreparedStatement statement = connection.prepareStatement(sql)) {
        for (int i = 0; i < identity.size(); i++) {
          statement.setString(i + 1, identity.get(i));
        }
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
