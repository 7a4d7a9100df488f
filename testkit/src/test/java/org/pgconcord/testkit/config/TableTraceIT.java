package org.pgconcord.testkit.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.schema.TableTrace;
import org.pgconcord.config.value.TableName;
import org.pgconcord.testkit.cluster.ShardCluster;

/** DDL leaves a trace, and nothing else does. */
class TableTraceIT {
  private static final TableName TABLE = new TableName("public", "traced");

  @Test
  void everyKindOfDdlShowsAndOrdinaryWorkDoesNot() throws Exception {
    try (ShardCluster cluster = ShardCluster.start(1);
        Connection connection = cluster.asSuperuser(cluster.shards().get(0))) {
      run(connection, "CREATE DOMAIN word AS text");
      run(connection, "CREATE TYPE mood AS ENUM ('good')");
      run(
          connection,
          "CREATE TABLE traced (a int PRIMARY KEY, b text, c word, d mood, UNIQUE (a, b))");
      run(connection, "CREATE TABLE other (a int)");
      for (String work : work()) {
        assertThat(changes(connection, work)).as(work).isFalse();
      }
      for (String ddl : ddl()) {
        assertThat(changes(connection, ddl)).as(ddl).isTrue();
      }
      run(connection, "DROP TABLE traced");
      assertThat(TableTrace.read(connection, TABLE).digest()).isEqualTo(TableTrace.ABSENT);
    }
  }

  @Test
  void partitionsBelongToTheTable() throws Exception {
    try (ShardCluster cluster = ShardCluster.start(1);
        Connection connection = cluster.asSuperuser(cluster.shards().get(0))) {
      run(connection, "CREATE TABLE traced (a int, b text) PARTITION BY RANGE (a)");
      run(connection, "CREATE TABLE low PARTITION OF traced FOR VALUES FROM (0) TO (9)");
      assertThat(changes(connection, "ALTER TABLE low ALTER b SET STATISTICS 9")).isTrue();
      assertThat(changes(connection, "INSERT INTO traced VALUES (1, 'x')")).isFalse();
      assertThat(changes(connection, "ALTER TABLE traced DETACH PARTITION low")).isTrue();
    }
  }

  private static List<String> work() {
    return List.of(
        "INSERT INTO traced SELECT n, 'x' FROM generate_series(1, 2000) n",
        "UPDATE traced SET b = 'y'",
        "ANALYZE traced",
        "VACUUM FREEZE traced",
        "VACUUM FREEZE pg_class",
        "VACUUM FREEZE pg_attribute",
        "CREATE PUBLICATION traced FOR TABLE traced",
        "ALTER TABLE other ADD COLUMN x int",
        "CREATE ROLE somebody");
  }

  private static List<String> ddl() {
    return List.of(
        "ALTER TABLE traced ADD COLUMN x int; ALTER TABLE traced DROP COLUMN x",
        "ALTER TABLE traced ALTER b SET NOT NULL; ALTER TABLE traced ALTER b DROP NOT NULL",
        "ALTER TABLE traced RENAME b TO bb; ALTER TABLE traced RENAME bb TO b",
        "ALTER TABLE traced RENAME TO t2; ALTER TABLE t2 RENAME TO traced",
        "ALTER TABLE traced ALTER b TYPE varchar; ALTER TABLE traced ALTER b TYPE text",
        "ALTER TABLE traced REPLICA IDENTITY FULL; ALTER TABLE traced REPLICA IDENTITY DEFAULT",
        "ALTER TABLE traced ENABLE ROW LEVEL SECURITY; ALTER TABLE traced DISABLE ROW LEVEL SECURITY",
        "ALTER TABLE traced OWNER TO somebody",
        "ALTER TABLE traced DROP CONSTRAINT traced_a_b_key; ALTER TABLE traced ADD UNIQUE (a, b)",
        "CREATE INDEX i ON traced (b)",
        "DROP INDEX i",
        "ALTER DOMAIN word ADD CHECK (value <> 'no')",
        "ALTER TYPE mood ADD VALUE 'bad'",
        "CREATE RULE r AS ON UPDATE TO traced DO ALSO NOTHING",
        "DROP RULE r ON traced",
        "CREATE POLICY p ON traced USING (true)",
        "ALTER TABLE traced ADD CHECK (a > 0) NOT VALID",
        "VACUUM FULL traced",
        "TRUNCATE traced",
        "DROP TABLE traced CASCADE; CREATE TABLE traced (a int PRIMARY KEY, b text, c word)");
  }

  private static boolean changes(Connection connection, String sql) throws SQLException {
    TableTrace before = TableTrace.read(connection, TABLE);
    run(connection, sql);
    TableTrace after = TableTrace.read(connection, TABLE);
    assertThat(after.at()).isGreaterThanOrEqualTo(before.at());
    return !before.digest().equals(after.digest());
  }

  private static void run(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String one : sql.split(";", -1)) {
        statement.execute(one);
      }
    }
  }
}
