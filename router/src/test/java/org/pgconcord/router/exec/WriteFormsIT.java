package org.pgconcord.router.exec;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.value.ShardId;

/**
 * Forms of writes on sharded tables without an index: each statement runs through the router over
 * three shards and on one server that has all rows, and both must give the same rows, the same
 * counts, the same errors, and leave the same tables.
 */
class WriteFormsIT {
  private static final String DOCUMENT =
      """
      {"authoritative_shard_group": "meta",
       "shard_indexes": {"tenant": {"type": "modulo", "columns": ["tenant_id"],
         "index_params": {"modulus": 6}}},
       "shard_groups": [
         {"uid": "meta", "key_ranges": [{"shard_uid": "shard-a"}]},
         {"uid": "data", "default_shard_index": "tenant", "key_ranges": [
           {"shard_uid": "shard-a", "end": "2"},
           {"shard_uid": "shard-b", "start": "2", "end": "4"},
           {"shard_uid": "shard-c", "start": "4"}]}],
       "databases": {"app": {"schemas": {"public": {
         "tables": {
           "orders": {"shard_group": "data"},
           "archive": {"shard_group": "data"},
           "customers": {"shard_group": "data"},
           "totals": {"shard_group": "data"}},
         "reference_tables": {"countries": {"shard_groups": ["data"]}}}}}}}
      """;

  private static final List<String> TABLES = List.of("orders", "archive", "customers", "totals");

  private static final List<String> DDL =
      List.of(
          "CREATE TABLE orders (tenant_id int, order_id bigint, total int, note text DEFAULT 'new',"
              + " PRIMARY KEY (tenant_id, order_id))",
          "CREATE TABLE archive (tenant_id int, order_id bigint, total int CHECK (total < 90),"
              + " note text, PRIMARY KEY (tenant_id, order_id))",
          "CREATE TABLE customers (tenant_id bigint, order_id bigint, rate int, country char(2),"
              + " PRIMARY KEY (tenant_id, order_id))",
          "CREATE TABLE totals (tenant_id int PRIMARY KEY, n bigint, total bigint)",
          "CREATE TABLE countries (code char(2) PRIMARY KEY, rate int)");

  private static final List<String> COUNTRIES =
      List.of("INSERT INTO countries VALUES ('FI', 1), ('FR', 2), ('DE', 3)");

  private static DeclaredRouter router;
  private static Connection plain;

  @BeforeAll
  static void start() throws SQLException {
    router = new DeclaredRouter(3, DOCUMENT, DDL);
    plain = router.cluster.asSuperuser(new ShardId("shard-a"));
    for (String ddl : DDL) {
      run(plain, ddl.replace("CREATE TABLE", "CREATE TEMP TABLE"));
    }
  }

  @AfterAll
  static void stop() throws SQLException {
    plain.close();
    router.close();
  }

  @BeforeEach
  void fill() throws SQLException {
    for (ShardId shard : router.cluster.shards()) {
      router.direct(shard, "TRUNCATE orders, archive, customers, totals, countries");
      COUNTRIES.forEach(sql -> direct(shard, sql));
    }
    run(plain, "TRUNCATE orders, archive, customers, totals, countries");
    COUNTRIES.forEach(sql -> run(plain, sql));
    try (Connection client = router.connect("simple")) {
      for (String sql :
          List.of(
              "INSERT INTO orders VALUES " + rows(0, 24, "(%1$d, %2$d, %2$d * 3, 'o')"),
              "INSERT INTO customers VALUES " + rows(0, 18, "(%1$d, %2$d, %2$d, 'FI')"),
              "UPDATE customers SET country = 'FR' WHERE order_id % 2 = 0")) {
        both(client, sql);
      }
    }
  }

  /** Rows of tenants 0 to 5, one after the other. */
  private static String rows(int from, int to, String format) {
    List<String> rows = new ArrayList<>();
    for (int i = from; i < to; i++) {
      rows.add(format.formatted(i % 6, i));
    }
    return String.join(", ", rows);
  }

  @Test
  void onConflict() throws SQLException {
    same(
        "INSERT INTO orders VALUES (1, 1, 5, 'x') ON CONFLICT DO NOTHING",
        "INSERT INTO orders VALUES (1, 1, 5, 'x'), (2, 99, 1, 'y') ON CONFLICT DO NOTHING RETURNING *",
        "INSERT INTO orders VALUES "
            + rows(20, 30, "(%d, %d, 7, 'z')")
            + " ON CONFLICT (order_id, tenant_id) DO UPDATE SET total = orders.total + EXCLUDED.total,"
            + " note = upper(EXCLUDED.note) WHERE orders.total > 60 RETURNING tenant_id, total, note",
        "INSERT INTO orders AS o (tenant_id, order_id) VALUES (3, 3), (4, 4) ON CONFLICT ON CONSTRAINT"
            + " orders_pkey DO UPDATE SET (total, note) = (o.total + 1, DEFAULT)",
        "INSERT INTO orders VALUES (1, 50, 1), (1, 50, 2) ON CONFLICT DO NOTHING",
        "INSERT INTO orders VALUES (1, 51, 1), (2, 51, 1), (2, 51, 2) ON CONFLICT (tenant_id, order_id)"
            + " DO UPDATE SET total = 0",
        "INSERT INTO archive VALUES (1, 1, 95), (2, 2, 1) ON CONFLICT DO NOTHING",
        "INSERT INTO orders VALUES (1, 1, 5) ON CONFLICT (total) DO NOTHING");
  }

  @Test
  void fromQuery() throws SQLException {
    same(
        "INSERT INTO archive SELECT * FROM orders WHERE tenant_id = 1 AND total < 60 RETURNING *",
        "INSERT INTO archive (order_id, tenant_id, note) SELECT order_id + 100, tenant_id, 'all' FROM"
            + " orders",
        "INSERT INTO archive (tenant_id, order_id) SELECT 3, 900 UNION ALL SELECT tenant_id, 901 FROM"
            + " orders WHERE tenant_id = 3 AND order_id = 3",
        "INSERT INTO totals SELECT tenant_id, count(*), sum(total) FROM orders GROUP BY tenant_id"
            + " HAVING count(*) > 2",
        "INSERT INTO totals AS t SELECT o.tenant_id, count(*), sum(o.total * c.rate) FROM orders o JOIN"
            + " customers u USING (tenant_id) JOIN countries c ON c.code = u.country GROUP BY 1 ON"
            + " CONFLICT (tenant_id) DO UPDATE SET n = t.n + EXCLUDED.n",
        "INSERT INTO totals AS t SELECT o.tenant_id, count(*), sum(o.total * c.rate) FROM orders o JOIN"
            + " customers u ON u.tenant_id = o.tenant_id JOIN countries c ON c.code = u.country GROUP"
            + " BY 1 ON CONFLICT (tenant_id) DO UPDATE SET n = t.n + EXCLUDED.n RETURNING t.n",
        "INSERT INTO archive (tenant_id, order_id, total) SELECT DISTINCT tenant_id, 500, 1 FROM orders"
            + " WHERE total > 3 ON CONFLICT DO NOTHING",
        "INSERT INTO archive SELECT * FROM orders WHERE total > 60",
        "INSERT INTO orders (tenant_id, order_id, total) SELECT 2, 700 + rate, rate FROM countries",
        "INSERT INTO orders (tenant_id, order_id, total) SELECT q.tenant_id, 800, q.t FROM (SELECT"
            + " tenant_id, max(total) t FROM orders WHERE tenant_id = 4 GROUP BY 1) q",
        "INSERT INTO orders (tenant_id, order_id) SELECT tenant_id, order_id FROM archive WHERE"
            + " tenant_id IN (0, 1, 4) AND order_id > 600");
  }

  /** Rows that do not belong where they are made. */
  @Test
  void fromRowsOfOtherShards() throws SQLException {
    same(
        "INSERT INTO archive SELECT (tenant_id + 1) % 6, order_id, total % 80, note FROM orders",
        "INSERT INTO archive SELECT (tenant_id + 2) % 6, order_id + 100, total % 80 FROM orders WHERE"
            + " tenant_id = 3 RETURNING note, order_id, tenant_id",
        "INSERT INTO archive (order_id, tenant_id, note) SELECT 200 + max(order_id), 4, 'max' FROM orders"
            + " RETURNING *",
        "INSERT INTO archive (order_id, tenant_id) SELECT order_id, tenant_id FROM orders ORDER BY total"
            + " DESC, order_id LIMIT 5 ON CONFLICT DO NOTHING",
        "INSERT INTO archive (order_id, tenant_id, total) SELECT 300 + order_id, tenant_id, total % 80 FROM"
            + " orders ORDER BY orders.total DESC, order_id LIMIT 5 RETURNING order_id",
        "INSERT INTO archive SELECT rate, 400 + rate, NULL, 'lit' FROM countries",
        "INSERT INTO archive SELECT row_number() OVER (ORDER BY order_id), 500 + order_id, 1.6, order_id"
            + " FROM customers WHERE order_id < 6",
        "INSERT INTO archive SELECT 2.0, order_id + 600, '7', note FROM orders WHERE tenant_id IN (1, 2)",
        "INSERT INTO archive SELECT i % 6, 700 + i, i, 'g' FROM generate_series(1, 20) i RETURNING"
            + " tenant_id",
        "INSERT INTO totals (tenant_id, n) SELECT o.tenant_id - 1, count(*) FROM orders o JOIN archive a"
            + " ON a.order_id = o.order_id GROUP BY 1",
        "INSERT INTO archive SELECT tenant_id + 7, order_id, 95 FROM orders",
        "INSERT INTO archive SELECT NULL, order_id, 5 FROM orders",
        "INSERT INTO archive SELECT country, order_id, 5 FROM customers",
        "INSERT INTO archive SELECT (tenant_id + 1) % 6, order_id, 1, 'x', 5 FROM orders",
        "INSERT INTO archive SELECT (tenant_id + 1) % 6, order_id FROM orders WHERE total < 0 RETURNING *",
        "INSERT INTO orders SELECT tenant_id + 6, order_id, total FROM orders");
  }

  @Test
  void joins() throws SQLException {
    same(
        "UPDATE orders o SET total = o.total + u.rate FROM customers u WHERE u.tenant_id ="
            + " o.tenant_id AND u.order_id = o.order_id AND u.country = 'FR' RETURNING o.order_id,"
            + " o.total, u.rate",
        "UPDATE customers u SET rate = c.rate FROM countries c WHERE c.code = u.country",
        "UPDATE orders SET note = c.code FROM customers u JOIN countries c ON c.code = u.country"
            + " WHERE u.tenant_id = orders.tenant_id AND u.order_id = orders.order_id",
        "DELETE FROM orders USING customers u, countries c WHERE u.tenant_id = orders.tenant_id AND"
            + " c.code = u.country AND c.rate > 1 AND u.order_id = orders.order_id RETURNING note, c.code",
        "DELETE FROM orders o USING customers u WHERE o.tenant_id = 3 AND u.tenant_id = 3 AND"
            + " u.order_id = o.order_id",
        "UPDATE orders o SET note = 'last' FROM customers a LEFT JOIN customers b ON b.order_id ="
            + " a.order_id + 6 AND a.tenant_id = b.tenant_id WHERE b.order_id IS NULL AND a.tenant_id ="
            + " o.tenant_id");
  }

  @Test
  void with() throws SQLException {
    same(
        "WITH gone AS (DELETE FROM orders WHERE tenant_id = 1 AND total < 30 RETURNING *) INSERT INTO"
            + " archive SELECT * FROM gone RETURNING order_id",
        "WITH gone AS (DELETE FROM orders WHERE tenant_id = 2 RETURNING order_id, tenant_id AS t) INSERT"
            + " INTO archive (tenant_id, order_id, note) SELECT g.t, g.order_id, 'moved' FROM gone g",
        "WITH gone AS (DELETE FROM archive WHERE tenant_id = 2 RETURNING total) SELECT count(*) FROM gone",
        "WITH c AS (SELECT order_id FROM customers WHERE tenant_id = 3) UPDATE orders SET note = 'c'"
            + " WHERE tenant_id = 3 AND order_id IN (SELECT order_id FROM c)",
        "WITH n AS (INSERT INTO orders VALUES (4, 400, 1) ON CONFLICT DO NOTHING RETURNING *), m AS"
            + " (UPDATE customers SET rate = rate + 1 WHERE tenant_id = 4 RETURNING rate) SELECT n.note,"
            + " m.rate FROM n, m",
        "WITH gone AS (DELETE FROM orders WHERE tenant_id = 5 RETURNING *) INSERT INTO archive SELECT *"
            + " FROM gone ON CONFLICT (tenant_id, order_id) DO UPDATE SET total = 0");
  }

  @Test
  void merge() throws SQLException {
    String three = "(SELECT * FROM customers WHERE tenant_id = 3) u";
    same(
        "MERGE INTO orders o USING "
            + three
            + " ON o.tenant_id = 3 AND o.order_id = u.order_id WHEN MATCHED AND u.rate > 5 THEN UPDATE SET"
            + " total = o.total + u.rate, note = CASE WHEN u.rate > 9 THEN 'big' ELSE 'small' END WHEN"
            + " MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT (tenant_id, order_id, total) VALUES (3,"
            + " u.order_id + 100, u.rate)",
        "MERGE INTO orders AS o USING "
            + three
            + " ON o.tenant_id = u.tenant_id AND o.order_id = u.order_id + 6 AND o.tenant_id = 3 WHEN NOT"
            + " MATCHED AND u.rate > 2 THEN INSERT (order_id, tenant_id) VALUES (u.order_id + 200,"
            + " u.tenant_id) WHEN MATCHED THEN DO NOTHING",
        "MERGE INTO orders USING countries c ON orders.tenant_id = 2 AND order_id = c.rate WHEN NOT"
            + " MATCHED THEN INSERT VALUES (2, 900 + c.rate, 1, c.code)",
        "MERGE INTO orders o USING (VALUES (1, 5), (7, 6)) v (id, t) ON o.tenant_id = 1 AND o.order_id ="
            + " v.id WHEN MATCHED THEN UPDATE SET (total, note) = (v.t, DEFAULT) WHEN NOT MATCHED THEN"
            + " INSERT (tenant_id, order_id, total) VALUES (1, v.id, v.t)",
        "MERGE INTO orders o USING customers u ON o.tenant_id = 4 AND u.tenant_id = 4 AND u.order_id ="
            + " o.order_id WHEN MATCHED THEN DELETE",
        "MERGE INTO archive a USING (SELECT * FROM orders WHERE tenant_id = 5) o ON a.tenant_id = 5 AND"
            + " a.order_id = o.order_id WHEN NOT MATCHED THEN INSERT VALUES (5, o.order_id, 95, 'x')");
  }

  @Test
  void aMergeThatLeavesItsShardIsRefused() throws SQLException {
    String insert = " WHEN NOT MATCHED THEN INSERT (tenant_id, order_id) VALUES ";
    try (Connection client = router.connect("simple")) {
      for (String sql :
          List.of(
              "MERGE INTO orders o USING customers u ON o.tenant_id = u.tenant_id AND o.order_id ="
                  + " u.order_id WHEN MATCHED THEN DELETE",
              "MERGE INTO orders o USING customers u ON o.tenant_id = 3 AND u.tenant_id = 3"
                  + insert
                  + "(3, 1)",
              "MERGE INTO orders o USING countries c ON o.order_id = c.rate" + insert + "(3, 1)",
              "MERGE INTO orders o USING countries c ON o.tenant_id = 3" + insert + "(5, 1)",
              "MERGE INTO orders o USING countries c ON o.tenant_id = 3" + insert + "(c.rate, 1)",
              "MERGE INTO orders o USING countries c ON o.tenant_id = 3 WHEN MATCHED THEN UPDATE SET"
                  + " tenant_id = 4",
              "MERGE INTO orders o USING countries c ON o.tenant_id = 3 WHEN NOT MATCHED BY SOURCE THEN"
                  + " DELETE",
              "MERGE INTO orders o USING countries c ON o.tenant_id = 3 WHEN MATCHED THEN UPDATE SET"
                  + " total = (SELECT max(total) FROM archive)",
              "MERGE INTO countries c USING orders o ON o.tenant_id = 3 WHEN MATCHED THEN DELETE")) {
        assertThat(answer(client, sql).get(0)).as(sql).startsWith("0A000");
      }
      sameTables(client, "refusals");
    }
  }

  /** Whatever is taken does what one server does; how much is taken is counted. */
  @Test
  void randomForms() throws SQLException {
    long seed = Long.getLong("pgconcord.seed", new Random().nextLong());
    System.out.println("random forms, -Dpgconcord.seed=" + seed);
    Random random = new Random(seed);
    int taken = 0;
    try (Connection client = router.connect("simple")) {
      for (int round = 0; round < 150; round++) {
        String sql = statement(random);
        taken += both(client, sql) ? 1 : 0;
      }
      sameTables(client, "seed " + seed);
    }
    assertThat(taken).isGreaterThan(100);
  }

  private static String statement(Random random) {
    int tenant = random.nextInt(6);
    int order = random.nextInt(40);
    String source = random.nextBoolean() ? "" : " WHERE tenant_id = " + tenant;
    String conflict =
        switch (random.nextInt(3)) {
          case 0 -> " ON CONFLICT DO NOTHING";
          case 1 -> " ON CONFLICT (tenant_id, order_id) DO UPDATE SET total = EXCLUDED.total % 90";
          default -> "";
        };
    String returning = random.nextBoolean() ? " RETURNING *" : "";
    return switch (random.nextInt(8)) {
      case 0 ->
          "INSERT INTO archive VALUES "
              + rows(order, order + 1 + random.nextInt(9), "(%d, %d, 80)")
              + conflict
              + returning;
      case 1, 2 ->
          "INSERT INTO archive SELECT tenant_id, order_id + %d, total %% 91 FROM orders%s%s%s"
              .formatted(random.nextInt(3), source, conflict, returning);
      case 3 ->
          "DELETE FROM archive USING orders o WHERE archive.tenant_id = o.tenant_id AND o.order_id"
              + " = archive.order_id AND o.total > "
              + random.nextInt(90)
              + returning;
      case 4 ->
          "UPDATE archive SET total = (archive.total + u.rate) % 90 FROM customers u WHERE archive.tenant_id"
              + " = u.tenant_id AND u.order_id = archive.order_id AND u.country = 'FI'"
              + returning;
      case 5 ->
          "INSERT INTO orders SELECT %d, order_id + %d, 1 FROM customers WHERE tenant_id = %d%s"
              .formatted(tenant, order, tenant, conflict);
      case 6 ->
          "INSERT INTO archive SELECT (tenant_id + %d) %% 6, order_id + %d, total %% 91 FROM orders%s%s%s"
              .formatted(
                  tenant, order, source, conflict.contains("UPDATE") ? "" : conflict, returning);
      default -> "DELETE FROM orders WHERE order_id > 60 + " + order;
    };
  }

  // --- one statement on both -------------------------------------------------------------------

  private static void same(String... statements) throws SQLException {
    for (String mode : List.of("simple", "extended")) {
      try (Connection client = router.connect(mode)) {
        run(client, "BEGIN");
        run(plain, "BEGIN");
        for (String sql : statements) {
          run(client, "SAVEPOINT s");
          run(plain, "SAVEPOINT s");
          if (!both(client, sql)) {
            assertThat(REFUSED).as(sql).contains(sql.substring(0, 40));
          }
          sameTables(client, sql);
        }
        run(client, "ROLLBACK");
        run(plain, "ROLLBACK");
      }
    }
  }

  /** The beginnings of statements that are in the lists to be refused. */
  private static final List<String> REFUSED =
      List.of(
          "INSERT INTO orders VALUES (1, 1, 5) ON CONFLICT (total) DO NOTHING".substring(0, 40),
          "INSERT INTO totals AS t SELECT o.tenant_id, count(*), sum(o.total * c.rate) FROM orders o"
              .substring(0, 40));

  /** False when the router refuses the statement, which then runs nowhere. */
  private static boolean both(Connection client, String sql) throws SQLException {
    boolean transaction = sql.startsWith("INSERT INTO orders VALUES (0") || inTransaction(client);
    List<String> routed = answer(client, sql);
    if (routed.get(0).startsWith("0A000")) {
      if (transaction) {
        run(client, "ROLLBACK TO s");
      }
      return false;
    }
    List<String> expected = answer(plain, sql);
    assertThat(routed).as(sql).isEqualTo(expected);
    if (routed.get(0).startsWith("error") && transaction) {
      run(client, "ROLLBACK TO s");
      run(plain, "ROLLBACK TO s");
    }
    return true;
  }

  private static boolean inTransaction(Connection client) throws SQLException {
    return client.unwrap(org.postgresql.core.BaseConnection.class).getTransactionState()
        != org.postgresql.core.TransactionState.IDLE;
  }

  /** Count and rows, in any order; or the SQLSTATE. */
  private static List<String> answer(Connection connection, String sql) {
    List<String> answer = new ArrayList<>();
    try (Statement statement = connection.createStatement()) {
      if (statement.execute(sql)) {
        ResultSet result = statement.getResultSet();
        int columns = result.getMetaData().getColumnCount();
        while (result.next()) {
          StringBuilder row = new StringBuilder();
          for (int i = 1; i <= columns; i++) {
            row.append(result.getString(i)).append('|');
          }
          answer.add(row.toString());
        }
        Collections.sort(answer);
        answer.add(0, "rows " + columns);
      } else {
        answer.add("count " + statement.getUpdateCount());
      }
    } catch (SQLException e) {
      answer.clear();
      answer.add(
          "0A000".equals(e.getSQLState()) ? "0A000 " + e.getMessage() : "error " + e.getSQLState());
    }
    return answer;
  }

  private static void sameTables(Connection client, String what) {
    for (String table : TABLES) {
      assertThat(answer(client, "SELECT * FROM " + table))
          .as(table + " after " + what)
          .isEqualTo(answer(plain, "SELECT * FROM " + table));
    }
  }

  private static void run(Connection connection, String sql) {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
  }

  private static void direct(ShardId shard, String sql) {
    try {
      router.direct(shard, sql);
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
  }
}
