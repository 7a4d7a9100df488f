package org.pgconcord.daemon.demo;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Properties;
import org.pgconcord.daemon.cli.sql.AlignedTable;
import org.pgconcord.daemon.cli.sql.SqlSession;
import org.pgconcord.testkit.cluster.ClusterRoles;
import org.pgconcord.testkit.cluster.ShardCluster;

/** An ordinary client of the router: PgJDBC, the role {@code demo}, no password. */
final class RouterClient implements AutoCloseable {
  private final Connection connection;

  private RouterClient(Connection connection) {
    this.connection = connection;
  }

  static RouterClient connect(int port) throws SQLException {
    return new RouterClient(open(port));
  }

  static Connection open(int port) throws SQLException {
    Properties properties = new Properties();
    properties.setProperty("user", ClusterRoles.OWNER);
    properties.setProperty("sslmode", "disable");
    properties.setProperty("connectTimeout", "10");
    return DriverManager.getConnection(
        "jdbc:postgresql://127.0.0.1:" + port + "/" + ShardCluster.DATABASE, properties);
  }

  AlignedTable query(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.setEscapeProcessing(false);
      try (ResultSet rows = statement.executeQuery(sql)) {
        return SqlSession.table(rows);
      }
    }
  }

  /** The router's plan, one line per row. */
  List<String> explain(String sql) throws SQLException {
    return lines("EXPLAIN (ROUTER) " + sql);
  }

  /** The plan and what each shard did. */
  List<String> analyze(String sql) throws SQLException {
    return lines("EXPLAIN (ROUTER, ANALYZE) " + sql);
  }

  private List<String> lines(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.setEscapeProcessing(false);
      try (ResultSet rows = statement.executeQuery(sql)) {
        List<String> lines = new java.util.ArrayList<>();
        while (rows.next()) {
          lines.add(rows.getString(1));
        }
        return lines;
      }
    }
  }

  int update(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.setEscapeProcessing(false);
      return statement.executeUpdate(sql);
    }
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
