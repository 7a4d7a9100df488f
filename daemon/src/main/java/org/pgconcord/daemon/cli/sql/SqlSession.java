package org.pgconcord.daemon.cli.sql;

import java.io.PrintStream;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Runs texts of one or more statements on a connection and prints what they answer. */
public final class SqlSession {
  private static final Set<Integer> NUMBERS =
      Set.of(
          Types.SMALLINT,
          Types.INTEGER,
          Types.BIGINT,
          Types.NUMERIC,
          Types.DECIMAL,
          Types.REAL,
          Types.DOUBLE,
          Types.FLOAT);

  private final Connection connection;
  private final PrintStream out;
  private final PrintStream err;

  public SqlSession(Connection connection, PrintStream out, PrintStream err) {
    this.connection = connection;
    this.out = out;
    this.err = err;
  }

  /** True when every statement of the text succeeded. */
  public boolean run(String text) {
    try (Statement statement = connection.createStatement()) {
      // The words of EXPLAIN, of functions and of JSON operators are not JDBC escapes.
      statement.setEscapeProcessing(false);
      boolean rows = statement.execute(text);
      while (true) {
        if (rows) {
          try (ResultSet result = statement.getResultSet()) {
            print(result);
          }
        } else if (statement.getUpdateCount() < 0) {
          break;
        } else {
          out.println(done(statement.getUpdateCount()));
        }
        rows = statement.getMoreResults();
      }
      printWarnings(statement.getWarnings());
      return true;
    } catch (SQLException e) {
      out.flush();
      err.print(SqlErrorText.of(e));
      err.flush();
      return false;
    } finally {
      out.flush();
    }
  }

  /** Reads a whole result into a table. */
  public static AlignedTable table(ResultSet result) throws SQLException {
    ResultSetMetaData description = result.getMetaData();
    List<String> headers = new ArrayList<>();
    List<Boolean> toTheRight = new ArrayList<>();
    for (int i = 1; i <= description.getColumnCount(); i++) {
      headers.add(description.getColumnLabel(i));
      toTheRight.add(NUMBERS.contains(description.getColumnType(i)));
    }
    AlignedTable table = new AlignedTable(headers, toTheRight);
    while (result.next()) {
      List<@Nullable String> row = new ArrayList<>();
      for (int i = 1; i <= headers.size(); i++) {
        row.add(result.getString(i));
      }
      table.add(row);
    }
    return table;
  }

  private void print(ResultSet result) throws SQLException {
    AlignedTable table = table(result);
    table.lines().forEach(out::println);
    out.println(table.countLine());
    out.println();
  }

  private void printWarnings(@Nullable SQLWarning first) {
    for (SQLWarning each = first; each != null; each = each.getNextWarning()) {
      err.println("NOTICE:  " + each.getMessage());
    }
  }

  private static String done(int rows) {
    return rows == 0 ? "done" : rows == 1 ? "done, 1 row" : "done, " + rows + " rows";
  }
}
