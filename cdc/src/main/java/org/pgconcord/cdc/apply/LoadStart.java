package org.pgconcord.cdc.apply;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Map;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.Lsn;
import org.pgconcord.config.value.ShardId;

/**
 * Says, in the transaction that ends a load, from where each owner shard's stream goes on. The
 * epoch is raised, so that an engine which still served the index's earlier life is fenced off, and
 * what that life had parked is forgotten: the snapshots hold the truth about it.
 */
public final class LoadStart {
  private LoadStart() {}

  public static void start(Connection transaction, GsiName gsi, Map<ShardId, Lsn> consistentPoints)
      throws SQLException {
    Parking.install(transaction);
    Parking.forget(transaction, gsi);
    try (PreparedStatement statement =
        transaction.prepareStatement(
            "INSERT INTO pgconcord.progress AS p (stream, target, commit_lsn, epoch)"
                + " VALUES (?, ?, CAST(? AS pg_lsn), 1) ON CONFLICT (stream, target) DO UPDATE"
                + " SET commit_lsn = excluded.commit_lsn, epoch = p.epoch + 1")) {
      for (Map.Entry<ShardId, Lsn> point : consistentPoints.entrySet()) {
        statement.setString(1, point.getKey().uid());
        statement.setString(2, gsi.toString());
        statement.setString(3, point.getValue().toString());
        statement.executeUpdate();
      }
    }
  }
}
