package org.pgconcord.daemon.build;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Map;
import org.pgconcord.backfill.TargetProgress;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.Lsn;
import org.pgconcord.config.value.ShardId;

/**
 * Writes where the streams start after a load, in the load's own last transaction. The epoch is
 * raised, never reset, so that an engine which was thought dead finds no row of its own.
 */
final class StreamStart implements TargetProgress {
  private static final String SQL =
      """
      INSERT INTO pgconcord.progress AS p (stream, target, commit_lsn, epoch)
      VALUES (?, ?, CAST(? AS pg_lsn), 1)
      ON CONFLICT (stream, target) DO UPDATE
      SET commit_lsn = excluded.commit_lsn, epoch = p.epoch + 1, updated_at = now()
      """;

  @Override
  public void start(Connection transaction, GsiName gsi, Map<ShardId, Lsn> consistentPoints)
      throws SQLException {
    try (PreparedStatement statement = transaction.prepareStatement(SQL)) {
      for (Map.Entry<ShardId, Lsn> point : consistentPoints.entrySet()) {
        statement.setString(1, point.getKey().uid());
        statement.setString(2, gsi.toString());
        statement.setString(3, point.getValue().toString());
        statement.addBatch();
      }
      statement.executeBatch();
    }
  }
}
