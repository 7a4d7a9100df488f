package org.pgconcord.daemon.build;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.gsi.SettlementRunner;

/**
 * Names whom a drain waits for: the transactions on the index's shards that are older than it. For
 * people; the drain itself counts at the router. Transactions of roles that the service role may
 * not look into (it has neither the role nor pg_read_all_stats) are named without their state.
 */
final class DrainHolders {
  private static final int MOST = 20;

  private static final String SQL =
      """
      SELECT concat_ws(', ', 'pid ' || pid, 'user ' || usename,
               'application ' || coalesce(nullif(application_name, ''), '(none)'),
               coalesce('state ' || state, 'state not shown to this role'),
               'query began ' || round(extract(epoch FROM now() - query_start)) || ' s ago',
               'transaction open for ' || round(extract(epoch FROM now() - xact_start)) || ' s')
        FROM pg_catalog.pg_stat_activity
       WHERE datname = current_database() AND backend_type = 'client backend'
         AND pid <> pg_backend_pid() AND application_name <> 'pgconcord'
         AND (xact_start < now() - ? * interval '1 second'
              OR (xact_start IS NULL AND state IS NULL AND query = '<insufficient privilege>'))
       ORDER BY xact_start LIMIT ?
      """;

  private DrainHolders() {}

  /**
   * A line each, the oldest of each shard first.
   *
   * @param seconds how old a transaction is at least
   */
  static List<String> of(
      SettlementRunner.Sessions sessions, Collection<ShardId> shards, long seconds) {
    List<String> holders = new ArrayList<>();
    for (ShardId shard : shards) {
      try (Connection connection = sessions.open(shard)) {
        read(connection, seconds).forEach(line -> holders.add(shard + ": " + line));
      } catch (SQLException | ConcordException e) {
        holders.add(shard + ": cannot be asked, " + e.getMessage());
      }
    }
    return holders;
  }

  static List<String> read(Connection connection, long seconds) throws SQLException {
    List<String> lines = new ArrayList<>();
    try (PreparedStatement query = connection.prepareStatement(SQL)) {
      query.setLong(1, seconds);
      query.setInt(2, MOST);
      try (ResultSet row = query.executeQuery()) {
        while (row.next()) {
          lines.add(row.getString(1));
        }
      }
    }
    return lines;
  }
}
