package org.pgconcord.testkit.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.testkit.Psql;
import org.pgconcord.testkit.ToolRun;
import org.pgconcord.testkit.cluster.ShardCluster;

/** psql and a driver through the proxy to a real server. */
class FaultNetworkIT {
  private static ShardCluster cluster;
  private static FaultNetwork network;

  @BeforeAll
  static void start() throws Exception {
    cluster = ShardCluster.start(1);
    ShardId shard = cluster.shards().get(0);
    network = FaultNetwork.before(Map.of("s", cluster.shard(shard).port()));
    try (Connection owner = cluster.asOwner(shard);
        Statement statement = owner.createStatement()) {
      statement.execute("CREATE TABLE t (id int PRIMARY KEY)");
    }
  }

  @AfterAll
  static void stop() {
    network.close();
    cluster.close();
  }

  @Test
  void psqlWorksAsWithoutIt() {
    network.begin(List.of());
    ToolRun run = new Psql(network.port("s"), "demo", "app", "").run("SELECT 42");
    assertThat(run.output().strip()).isEqualTo("42");
    assertThat(network.journal().links()).extracting(Link::application).containsExactly("psql");
  }

  @Test
  void aCommitWhoseAnswerIsCutHasHappened() throws SQLException {
    network.begin(
        List.of(
            Rule.on(Direction.TO_CLIENT)
                .application("answer lost")
                .kinds("C")
                .nth(3)
                .then(new Action.Cut())));
    assertThatThrownBy(() -> insert(1, "answer lost")).isInstanceOf(SQLException.class);
    assertThat(network.acted()).isEqualTo(1);
    assertThat(ids()).contains(1);
  }

  @Test
  void aCommitThatIsCutHasNotHappened() throws SQLException {
    network.begin(
        List.of(
            Rule.on(Direction.TO_SERVER)
                .application("commit lost")
                .kinds("Q")
                .nth(3)
                .then(new Action.Cut())));
    assertThatThrownBy(() -> insert(2, "commit lost")).isInstanceOf(SQLException.class);
    assertThat(network.acted()).isEqualTo(1);
    assertThat(ids()).doesNotContain(2);
  }

  @Test
  void aRunIsCountedAlikeEachTime() throws SQLException {
    network.begin(List.of());
    insert(3, "counted");
    assertThat(network.awaitNoLinks(Duration.ofSeconds(10))).isTrue();
    Map<Journal.Way, String> first = network.journal().kinds();
    network.begin(List.of());
    insert(4, "counted");
    assertThat(network.awaitNoLinks(Duration.ofSeconds(10))).isTrue();
    assertThat(network.journal().kinds()).isEqualTo(first);
  }

  /** BEGIN, INSERT and COMMIT, each as one simple query. */
  private static void insert(int id, String application) throws SQLException {
    Properties properties = new Properties();
    properties.setProperty("user", "demo");
    properties.setProperty("ApplicationName", application);
    properties.setProperty("assumeMinServerVersion", "15");
    properties.setProperty("preferQueryMode", "simple");
    String url = "jdbc:postgresql://127.0.0.1:" + network.port("s") + "/app";
    try (Connection connection = DriverManager.getConnection(url, properties);
        Statement statement = connection.createStatement()) {
      statement.execute("BEGIN");
      statement.execute("INSERT INTO t VALUES (" + id + ")");
      statement.execute("COMMIT");
    }
  }

  private static List<Integer> ids() throws SQLException {
    try (Connection owner = cluster.asOwner(cluster.shards().get(0));
        Statement statement = owner.createStatement();
        ResultSet rows = statement.executeQuery("SELECT id FROM t")) {
      List<Integer> ids = new ArrayList<>();
      while (rows.next()) {
        ids.add(rows.getInt(1));
      }
      return ids;
    }
  }
}
