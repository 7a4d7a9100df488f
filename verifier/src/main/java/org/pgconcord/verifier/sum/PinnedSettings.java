package org.pgconcord.verifier.sum;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/** The settings under which a value's text output is the same on every server. */
public final class PinnedSettings {
  private static final String PIN =
      "SET LOCAL DateStyle = 'ISO, MDY'; SET LOCAL IntervalStyle = postgres; SET LOCAL TimeZone ="
          + " 'UTC'; SET LOCAL extra_float_digits = 1; SET LOCAL bytea_output = hex;"
          + " SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0";

  private PinnedSettings() {}

  /** Pins them for the open transaction. */
  public static void pin(Connection transaction) throws SQLException {
    try (Statement statement = transaction.createStatement()) {
      statement.execute(PIN);
    }
  }
}
