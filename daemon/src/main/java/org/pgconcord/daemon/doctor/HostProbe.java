package org.pgconcord.daemon.doctor;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.pgconcord.config.settings.ServerIdentity;
import org.pgconcord.config.settings.ShardAddress;
import org.pgconcord.config.settings.ShardConnections;
import org.pgconcord.config.settings.ShardSettings;
import org.pgconcord.config.value.ShardId;

/**
 * Asks each server that a configuration names for a shard, beside its primary, over sessions of the
 * service role.
 */
final class HostProbe {
  /** The control file's timeline is the log's own on a standby, up to its last restart point. */
  private static final String FACTS =
      """
      SELECT s.system_identifier,
             CASE WHEN pg_is_in_recovery() THEN c.timeline_id
                  ELSE ('x' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8))::bit(32)::int
             END, current_setting('server_version_num')::int,
             pg_is_in_recovery(),
             CASE WHEN pg_is_in_recovery() THEN coalesce(pg_last_wal_replay_lsn(), '0/0')
                  ELSE pg_current_wal_lsn() END::text,
             coalesce(current_setting('sync_replication_slots', true), 'off') = 'on',
             extract(epoch FROM pg_postmaster_start_time())::text
        FROM pg_control_system() s, pg_control_checkpoint() c
      """;

  private static final int TIMEOUT_MILLIS = 10_000;

  private final ShardConnections connections;
  private final String database;

  /** What one server says. */
  private record Facts(
      ServerIdentity server, boolean standby, String position, boolean syncs, String started) {}

  HostProbe(ShardConnections connections, String database) {
    this.connections = connections;
    this.database = database;
  }

  /** Of a shard with one host and no replicas nothing, for its primary has been looked at. */
  List<HostFacts> of(ShardId shard, ShardSettings settings, Connection primary)
      throws SQLException {
    Set<ShardAddress> replicas = new LinkedHashSet<>(settings.replicas());
    if (settings.hosts().size() == 1 && replicas.isEmpty()) {
      return List.of();
    }
    Facts first = facts(primary);
    List<HostFacts> hosts =
        settings.hosts().stream()
            .map(host -> new HostFacts(shard, host, false, seen(shard, host, first, primary)))
            .toList();
    Stream<HostFacts> others =
        replicas.stream()
            .filter(replica -> !settings.hosts().contains(replica))
            .map(
                replica ->
                    new HostFacts(shard, replica, true, seen(shard, replica, first, primary)));
    return Stream.concat(hosts.stream(), others).toList();
  }

  private HostFacts.Seen seen(ShardId shard, ShardAddress host, Facts first, Connection primary) {
    try (Connection session = connections.openReplica(shard, host, database)) {
      session.setNetworkTimeout(Runnable::run, TIMEOUT_MILLIS);
      Facts facts = facts(session);
      boolean same = facts.server().systemIdentifier() == first.server().systemIdentifier();
      return new HostFacts.Seen.Server(
          same && !facts.standby() && facts.started().equals(first.started()),
          same,
          facts.standby(),
          facts.server(),
          same && facts.standby() ? behind(primary, facts.position()) : 0,
          facts.syncs());
    } catch (SQLException e) {
      return new HostFacts.Seen.Nothing(String.valueOf(e.getMessage()));
    }
  }

  private static Facts facts(Connection session) throws SQLException {
    try (Statement statement = session.createStatement();
        ResultSet row = statement.executeQuery(FACTS)) {
      row.next();
      return new Facts(
          new ServerIdentity(row.getLong(1), row.getInt(2), row.getInt(3)),
          row.getBoolean(4),
          row.getString(5),
          row.getBoolean(6),
          row.getString(7));
    }
  }

  private static long behind(Connection primary, String replayed) throws SQLException {
    try (var statement =
        primary.prepareStatement(
            "SELECT greatest(0, pg_wal_lsn_diff(pg_current_wal_lsn(), ?::pg_lsn))::bigint")) {
      statement.setString(1, replayed);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return row.getLong(1);
      }
    }
  }
}
