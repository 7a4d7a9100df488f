package org.pgconcord.config.settings;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.ShardId;

/** The first words of a session: who answers, and settings that make its texts canonical. */
final class SessionProbe {
  static final int OLDEST = 150_000;
  static final int NEWEST_BEFORE = 190_000;

  /** Roles and databases can carry settings of their own: each one that matters is set again. */
  private static final String PIN =
      "SET DateStyle = 'ISO, MDY'; SET IntervalStyle = 'postgres'; SET TimeZone = 'UTC';"
          + " SET extra_float_digits = 1; SET bytea_output = 'hex';"
          + " SET standard_conforming_strings = on;"
          + " SET default_transaction_isolation = 'read committed';"
          + " SET default_transaction_read_only = off; SET statement_timeout = 0;"
          + " SET lock_timeout = 0; SET idle_in_transaction_session_timeout = 0";

  private static final String ASK =
      "SELECT pg_is_in_recovery(), system_identifier, current_setting('server_version_num')::int,"
          + " current_setting('server_encoding'), CASE WHEN pg_is_in_recovery() THEN 0 ELSE"
          + " ('x' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8))::bit(32)::int END,"
          + " (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::int8"
          + " FROM pg_control_system()";

  private SessionProbe() {}

  /**
   * What the probe found.
   *
   * @param primary false for a server in recovery
   * @param started when the server was, in microseconds: two addresses with one start are one
   *     server
   */
  record Answer(boolean primary, ServerIdentity server, long started) {}

  static void pin(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(PIN);
    }
  }

  static Answer ask(Connection connection, ShardId shard) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(ASK)) {
      row.next();
      ServerIdentity server = new ServerIdentity(row.getLong(2), row.getInt(5), row.getInt(3));
      if (server.version() < OLDEST || server.version() >= NEWEST_BEFORE) {
        throw ErrorCode.SHARD_VERSION.because(
            "shard " + shard + " runs PostgreSQL " + server.version() / 10_000);
      }
      if (!"UTF8".equals(row.getString(4))) {
        throw ErrorCode.SHARD_ENCODING.because(
            "shard " + shard + " has a database in the encoding " + row.getString(4));
      }
      return new Answer(!row.getBoolean(1), server, row.getLong(6));
    }
  }
}
