package org.pgconcord.cdc;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;
import org.pgconcord.cdc.change.StreamName;
import org.pgconcord.cdc.slot.StreamConnections;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.testkit.cluster.ClusterRoles;
import org.pgconcord.testkit.cluster.ShardCluster;

/** Connections of an embedded cluster in the forms that this module asks for. */
public class StreamFixture implements StreamConnections {
  private static final String PIN =
      "SET DateStyle = 'ISO'; SET IntervalStyle = 'postgres'; SET TimeZone = 'UTC';"
          + " SET extra_float_digits = 1; SET bytea_output = 'hex'";

  private final ShardCluster cluster;

  public StreamFixture(ShardCluster cluster) {
    this.cluster = cluster;
  }

  @Override
  public Connection open(StreamName stream) throws SQLException {
    return open(stream.shard());
  }

  /** A pinned session of the service role. */
  public Connection open(ShardId shard) throws SQLException {
    Connection connection = cluster.asService(shard);
    execute(connection, PIN);
    return connection;
  }

  @Override
  public Connection openReplication(StreamName stream) throws SQLException {
    Properties properties = new Properties();
    properties.setProperty("user", ClusterRoles.SERVICE);
    properties.setProperty("replication", "database");
    properties.setProperty("preferQueryMode", "simple");
    properties.setProperty("assumeMinServerVersion", "15");
    return DriverManager.getConnection(
        cluster.url(stream.shard(), ShardCluster.DATABASE), properties);
  }

  /** Runs statements on one session. */
  public static void execute(Connection connection, String... statements) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String each : statements) {
        statement.execute(each);
      }
    }
  }

  /** Runs statements as the tables' owner, each committed. */
  public void asOwner(ShardId shard, String... statements) throws SQLException {
    try (Connection connection = cluster.asOwner(shard)) {
      execute(connection, statements);
    }
  }

  public ShardCluster cluster() {
    return cluster;
  }
}
