package org.pgconcord.daemon.doctor;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.pgconcord.config.value.ShardId;

/** Reads {@link ServerFacts} over a session of the service role. */
public final class ServerProbe {
  private static final String FACTS =
      """
      SELECT current_setting('server_version_num')::int,
             pg_encoding_to_char(d.encoding),
             current_setting('wal_level'),
             current_setting('max_replication_slots')::int
               - (SELECT count(*) FROM pg_replication_slots)::int,
             current_setting('max_wal_senders')::int
               - (SELECT count(*) FROM pg_stat_replication)::int,
             r.rolname, r.rolsuper, r.rolreplication, r.rolbypassrls,
             has_database_privilege(d.datname, 'CREATE'),
             d.datname
        FROM pg_database d, pg_roles r
       WHERE d.datname = current_database() AND r.rolname = current_user
      """;

  private static final String HOLDERS =
      """
      SELECT 'prepared transaction ' || quote_literal(gid) || ' of ' || owner
        FROM pg_prepared_xacts WHERE database = current_database()
      UNION ALL
      SELECT 'transaction of ' || coalesce(usename, '?') || ', pid ' || pid || ', open for '
             || extract(epoch FROM now() - xact_start)::int || ' s'
        FROM pg_stat_activity
       WHERE datname = current_database() AND backend_xid IS NOT NULL
         AND xact_start < now() - interval '1 minute'
      """;

  private ServerProbe() {}

  public static ServerFacts read(ShardId shard, Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      List<String> holders = holders(statement);
      try (ResultSet row = statement.executeQuery(FACTS)) {
        row.next();
        return new ServerFacts(
            shard,
            row.getString(11),
            row.getInt(1),
            row.getString(2),
            row.getString(3),
            row.getInt(4),
            row.getInt(5),
            new ServerFacts.Role(
                row.getString(6),
                row.getBoolean(7),
                row.getBoolean(8),
                row.getBoolean(9),
                row.getBoolean(10)),
            holders);
      }
    }
  }

  private static List<String> holders(Statement statement) throws SQLException {
    List<String> holders = new ArrayList<>();
    try (ResultSet rows = statement.executeQuery(HOLDERS)) {
      while (rows.next()) {
        holders.add(rows.getString(1));
      }
    }
    return holders;
  }
}
