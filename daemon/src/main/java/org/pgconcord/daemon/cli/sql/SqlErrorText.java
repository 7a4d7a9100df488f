package org.pgconcord.daemon.cli.sql;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/** A server's error as psql prints it, its SQLSTATE added. */
public final class SqlErrorText {
  private SqlErrorText() {}

  public static String of(SQLException failure) {
    ServerErrorMessage fields =
        failure instanceof PSQLException server ? server.getServerErrorMessage() : null;
    if (fields == null) {
      return "ERROR:  " + failure.getMessage() + "\n";
    }
    return fields.getSeverity()
        + ":  "
        + fields.getMessage()
        + " ("
        + fields.getSQLState()
        + ")\n"
        + line("DETAIL", fields.getDetail())
        + line("HINT", fields.getHint())
        + line("CONTEXT", fields.getWhere())
        + (fields.getPosition() > 0 ? "POSITION:  " + fields.getPosition() + "\n" : "");
  }

  private static String line(String name, @Nullable String value) {
    return value == null || value.isEmpty() ? "" : name + ":  " + value + "\n";
  }
}
