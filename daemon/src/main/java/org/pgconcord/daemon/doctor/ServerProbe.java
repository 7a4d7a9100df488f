package org.pgconcord.daemon.doctor;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
             d.datname,
             current_setting('max_prepared_transactions')::int
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

  /** Since PostgreSQL 16 membership and the right to SET ROLE are granted apart. */
  private static final String STRANGERS =
      """
      SELECT rolname FROM pg_catalog.pg_roles
       WHERE rolcanlogin AND NOT rolsuper AND rolname <> current_user
         AND pg_catalog.has_database_privilege(oid, current_database(), 'CONNECT')
         AND NOT pg_catalog.pg_has_role(oid,
               CASE WHEN current_setting('server_version_num')::int < 160000 THEN 'MEMBER'
                    ELSE 'SET' END)
       ORDER BY rolname
      """;

  /**
   * Digests, so that no verifier leaves the server. Roles that cannot be asked for are left out.
   */
  private static final String VERIFIERS =
      """
      SELECT rolname, pg_catalog.encode(
               pg_catalog.sha256(pg_catalog.convert_to(rolpassword, 'UTF8')), 'hex')
        FROM pg_catalog.pg_authid
       WHERE rolcanlogin AND NOT rolsuper AND rolpassword IS NOT NULL AND rolname <> current_user
      """;

  private ServerProbe() {}

  /** Role -> a digest of its verifier; empty when the role may not read them. */
  static Optional<Map<String, String>> verifiers(Connection connection) throws SQLException {
    Map<String, String> digests = new HashMap<>();
    try (Statement statement = connection.createStatement()) {
      try (ResultSet row =
          statement.executeQuery(
              "SELECT pg_catalog.has_table_privilege('pg_catalog.pg_authid', 'SELECT')")) {
        row.next();
        if (!row.getBoolean(1)) {
          return Optional.empty();
        }
      }
      try (ResultSet row = statement.executeQuery(VERIFIERS)) {
        while (row.next()) {
          digests.put(row.getString(1), row.getString(2));
        }
      }
    }
    return Optional.of(digests);
  }

  public static ServerFacts read(ShardId shard, Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      List<String> holders = texts(statement, HOLDERS);
      List<String> strangers = texts(statement, STRANGERS);
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
            row.getInt(12),
            strangers,
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

  private static List<String> texts(Statement statement, String query) throws SQLException {
    List<String> texts = new ArrayList<>();
    try (ResultSet rows = statement.executeQuery(query)) {
      while (rows.next()) {
        texts.add(rows.getString(1));
      }
    }
    return texts;
  }
}
