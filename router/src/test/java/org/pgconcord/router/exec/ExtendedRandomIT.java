package org.pgconcord.router.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.pgconcord.router.exec.DeclaredRouter.rows;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Random transactions of updates and deletes in every shape that extended mode takes, over a table
 * with four indexes, beside the same on one server whose constraints are checked at the end of each
 * statement: rows, counts and errors are the same, and the entries are the rows'.
 */
class ExtendedRandomIT {
  private static final String ALL =
      "SELECT concat_ws(' ', tenant_id, user_id, email, floor, seat, city, name) FROM users";

  private final Random random;
  private final long seed = Long.getLong("pgconcord.seed", new Random().nextLong());
  private final StringBuilder did = new StringBuilder();

  ExtendedRandomIT() {
    System.out.println("random writes in extended mode, -Dpgconcord.seed=" + seed);
    random = new Random(seed);
  }

  @Test
  void writesEndAsOnOneServer() throws SQLException {
    run(40);
  }

  @Test
  @Tag("long")
  void manyWritesEndAsOnOneServer() throws SQLException {
    run(2_000);
  }

  private void run(int rounds) throws SQLException {
    try (ExtendedRig rig = new ExtendedRig();
        Connection client = rig.router.connect("simple");
        Connection plain = rig.router.cluster.asSuperuser(rig.shards.get(0))) {
      List<Long> tenants =
          List.of(rig.tenant(0, 0), rig.tenant(1, 0), rig.tenant(1, 1), rig.tenant(2, 0));
      rows(
          plain,
          "CREATE TEMP TABLE users "
              + ExtendedRig.USERS.replaceFirst(
                  "\\)$", ", UNIQUE (email) DEFERRABLE, UNIQUE (floor, seat) DEFERRABLE)"));
      for (int round = 0; round < rounds; round++) {
        did.setLength(0);
        did.append("seed ").append(seed).append(" round ").append(round);
        transaction(client, plain, tenants);
        if (round % 5 == 4 || round == rounds - 1) {
          rig.entriesAreTrue(did.toString());
        }
      }
    }
  }

  private void transaction(Connection client, Connection plain, List<Long> tenants)
      throws SQLException {
    both(client, plain, "BEGIN");
    for (int step = random.nextInt(7); step >= 0; step--) {
      String sql = statement(tenants);
      did.append("\n").append(sql);
      both(client, plain, "SAVEPOINT s");
      String outcome = attempt(client, sql);
      did.append(" -> ").append(outcome);
      if (outcome.equals("0A000")) {
        both(client, plain, "ROLLBACK TO s");
        continue;
      }
      assertThat(attempt(plain, sql)).as(did.toString()).isEqualTo(onOneServer(outcome));
      if (!outcome.startsWith("rows") || random.nextInt(8) == 0) {
        both(client, plain, "ROLLBACK TO s");
      } else if (random.nextBoolean()) {
        both(client, plain, "RELEASE s");
      }
    }
    String end = random.nextInt(4) == 0 ? "ROLLBACK" : "COMMIT";
    String outcome = attempt(client, end);
    did.append("\n").append(end).append(" -> ").append(outcome);
    rows(plain, outcome.equals("0A000") ? "ROLLBACK" : end);
    assertThat(rows(client, ALL))
        .as(did.toString())
        .containsExactlyInAnyOrderElementsOf(rows(plain, ALL));
  }

  /**
   * The key is that of a row which this transaction has locked: it waits for itself (docs/sql.md).
   */
  private static String onOneServer(String outcome) {
    return outcome.equals("40P01") ? "23505" : outcome;
  }

  private static void both(Connection client, Connection plain, String sql) throws SQLException {
    rows(client, sql);
    rows(plain, sql);
  }

  private String statement(List<Long> tenants) {
    long tenant = tenants.get(random.nextInt(tenants.size()));
    int user = random.nextInt(3);
    int key = random.nextInt(9);
    String city = List.of("'Oulu'", "'Turku'", "NULL").get(random.nextInt(3));
    String where =
        switch (random.nextInt(14)) {
          case 0 -> "email = 'k%d'".formatted(key);
          case 1 -> "city = 'Oulu'";
          case 2 -> "floor = %d AND seat = 's%d'".formatted(user, key);
          case 3 -> "tenant_id = " + tenant;
          case 4 -> "user_id = " + user;
          case 5 -> "loud = 'N%d' AND user_id < 2".formatted(user);
          case 6 -> "email IN ('k%d', 'k%d', NULL)".formatted(key, random.nextInt(9));
          case 7 -> "email = ANY ('{k%d,k%d}') AND user_id < 2".formatted(key, (key + 4) % 9);
          case 8 -> "(floor, seat) IN ((%d, 's%d'), (1, 's%d'))".formatted(user, key, 8 - key);
          case 10 -> "tenant_id IN (%d, %d)".formatted(tenant, tenants.get(0));
          case 11 ->
              "(tenant_id = %d OR tenant_id = %d AND user_id = 1) AND city = 'Oulu'"
                  .formatted(tenant, tenants.get(2));
          case 12 ->
              "EXISTS (SELECT 1 FROM users v WHERE v.tenant_id = users.tenant_id AND v.user_id > users.user_id)";
          case 9 -> "city IN ('Oulu', 'Turku') AND floor = " + user;
          default -> "tenant_id = %d AND user_id = %d".formatted(tenant, user);
        };
    return switch (random.nextInt(19)) {
      case 16, 17, 18 -> byQuery(tenants, tenant, user, key, city);
      case 15 -> merge(tenant, user, key, city);
      case 9, 10 -> upsert(tenants, tenant, user, key, city);
      case 11, 12, 13 -> withCtes(tenant, user, key, city);
      case 14 ->
          "UPDATE users SET name = (SELECT count(*)::text FROM users v WHERE v.tenant_id = users.tenant_id), city = %s WHERE %s"
              .formatted(city, where);
      case 0 -> "DELETE FROM users WHERE " + where;
      case 1 -> "UPDATE users SET email = 'k%d' WHERE %s".formatted(key, where);
      case 2 -> "UPDATE users SET city = %s, name = 'n%d' WHERE %s".formatted(city, user, where);
      case 3 ->
          "UPDATE users SET email = 'k' || (substr(email, 2)::int + 1) %% 9 WHERE %s"
              .formatted(where)
              .replace("%%", "%");
      case 4 -> "UPDATE users SET floor = 2 - floor, seat = 's%d' WHERE %s".formatted(key, where);
      case 5 ->
          "UPDATE users SET user_id = user_id + 10 WHERE tenant_id = %d AND user_id = %d"
              .formatted(tenant, user);
      case 6 ->
          "INSERT INTO users (tenant_id, user_id, email, floor, seat, city, name) VALUES (%d, %d,"
                  .formatted(tenant, user)
              + " 'k%d', %d, 's%d', %s, 'n')".formatted(key, user, key, city);
      default ->
          "INSERT INTO users (tenant_id, user_id, email, floor, seat, city, name) VALUES (%d, %d,"
                  .formatted(tenant, user)
              + " 'k%d', %d, 's%d', %s, 'n'), (%d, %d, 'k%d', NULL, NULL, 'Oulu', NULL)"
                  .formatted(
                      key,
                      user,
                      key,
                      city,
                      tenants.get(random.nextInt(tenants.size())),
                      random.nextInt(3),
                      random.nextInt(9));
    };
  }

  /** Rows in the way are updated, indexed columns too; sometimes the same row twice. */
  private String upsert(List<Long> tenants, long tenant, int user, int key, String city) {
    String set =
        switch (random.nextInt(6)) {
          case 0 -> "email = EXCLUDED.email, city = EXCLUDED.city";
          case 1 -> "email = 'k%d', name = u.name || 'x'".formatted(random.nextInt(9));
          case 2 -> "(floor, seat) = (EXCLUDED.floor, EXCLUDED.seat)";
          case 3 -> "name = EXCLUDED.name || u.email WHERE u.user_id < 2";
          case 4 -> "user_id = u.user_id + 10 WHERE u.city IS NOT NULL";
          default -> "city = u.name, email = u.email WHERE EXCLUDED.email <> u.email";
        };
    String sql =
        "INSERT INTO users AS u (tenant_id, user_id, email, floor, seat, city, name) VALUES (%d,"
                .formatted(tenant)
            + " %d, 'k%d', %d, 's%d', %s, 'n'), (%d, %s, 'k%d', NULL, NULL, 'Oulu', 'm')"
                .formatted(
                    user,
                    key,
                    user,
                    key,
                    city,
                    tenants.get(random.nextInt(tenants.size())),
                    random.nextBoolean() ? random.nextInt(3) : "1 + " + random.nextInt(2),
                    random.nextInt(9))
            + " ON CONFLICT "
            + (random.nextBoolean() ? "(tenant_id, user_id)" : "ON CONSTRAINT users_pkey")
            + " DO UPDATE SET "
            + set;
    return random.nextBoolean()
        ? sql
        : sql.replaceFirst("VALUES (.*?) ON CONFLICT", "SELECT * FROM (VALUES $1) v ON CONFLICT");
  }

  /** Of one tenant, some of whose rows are there. */
  private String merge(long tenant, int user, int key, String city) {
    String matched =
        switch (random.nextInt(4)) {
          case 0 -> "MATCHED AND u.city = 'Oulu' THEN DELETE WHEN MATCHED THEN DO NOTHING";
          case 1 -> "MATCHED THEN UPDATE SET email = v.mail, city = %s".formatted(city);
          case 2 -> "MATCHED AND v.id > 0 THEN UPDATE SET floor = v.id, seat = v.mail, name = 'w'";
          default -> "MATCHED THEN UPDATE SET user_id = v.id + 10, email = u.email || 'x'";
        };
    String source =
        "(VALUES (%d, 'k%d'), (%d, 'k%d')) v (id, mail)"
            .formatted(user, key, random.nextInt(3), random.nextInt(9));
    return "MERGE INTO users u USING %s ON u.tenant_id = %d AND u.user_id = v.id WHEN %s"
            .formatted(source, tenant, matched)
        + (random.nextBoolean()
            ? " WHEN NOT MATCHED THEN INSERT (tenant_id, user_id, email, city) VALUES (%d, v.id, v.mail, %s)"
                .formatted(tenant, city)
            : "");
  }

  /** Rows that a query over the shards finds, and perhaps locks, first. */
  private String byQuery(List<Long> tenants, long tenant, int user, int key, String city) {
    String first =
        switch (random.nextInt(5)) {
          case 0 ->
              " WHERE city = 'Oulu' ORDER BY user_id, tenant_id LIMIT 2 FOR UPDATE SKIP LOCKED";
          case 1 -> " ORDER BY tenant_id DESC, user_id LIMIT %d FOR UPDATE".formatted(key % 4);
          case 2 -> " WHERE tenant_id IN (%d, %d)".formatted(tenant, tenants.get(3));
          case 3 -> " WHERE user_id = %d FOR NO KEY UPDATE".formatted(user);
          default -> " GROUP BY tenant_id, user_id HAVING count(*) = 1 ORDER BY 1, 2 LIMIT 3";
        };
    String keys = "SELECT tenant_id, user_id FROM users" + first;
    String set =
        random.nextBoolean()
            ? "email = 'k' || (substr(u.email, 2)::int + 1) % 9, city = " + city
            : "name = 'q%d'".formatted(key);
    String one =
        "(SELECT max(user_id) FROM users WHERE city = 'Oulu' OR tenant_id = %d)".formatted(tenant);
    return switch (random.nextInt(9)) {
      case 0 -> "DELETE FROM users WHERE (tenant_id, user_id) IN (%s)".formatted(keys);
      case 1 ->
          "UPDATE users u SET %s WHERE (u.tenant_id, u.user_id) IN (%s) AND floor IS NULL RETURNING user_id, u.email"
              .formatted(set, keys);
      case 2 ->
          "WITH picked AS MATERIALIZED (%s) UPDATE users u SET %s FROM picked p WHERE u.user_id = p.user_id AND p.tenant_id = u.tenant_id RETURNING u.user_id, u.city, p.tenant_id"
              .formatted(keys, set);
      case 3 ->
          "WITH picked(t, n) AS (%s) DELETE FROM users USING picked WHERE users.tenant_id = t AND user_id = picked.n AND picked.t = tenant_id RETURNING *"
              .formatted(keys);
      case 4 ->
          "UPDATE users u SET %s FROM (%s) AS p WHERE u.tenant_id = p.tenant_id AND u.user_id = p.user_id RETURNING *"
              .formatted(set, keys);
      case 5 ->
          "WITH picked AS (%s) UPDATE users u SET %s WHERE (u.tenant_id, user_id) IN (SELECT tenant_id, user_id FROM picked) RETURNING email"
              .formatted(keys, set);
      case 6 ->
          "UPDATE users SET seat = %s::text, floor = %d WHERE user_id = %s"
              .formatted(one, key, one);
      case 7 ->
          "DELETE FROM users WHERE email = ANY (SELECT email FROM users WHERE user_id = %d) AND city = %s"
              .formatted(user, city);
      default ->
          "UPDATE users u SET %s WHERE user_id = ANY (ARRAY(SELECT user_id FROM users ORDER BY user_id, tenant_id LIMIT 2))"
              .formatted(set);
    };
  }

  /** An INSERT whose rows may be there. */
  private String metInCte(long tenant, int user, int key, String city) {
    String action =
        List.of(
                "NOTHING",
                "UPDATE SET email = EXCLUDED.email, city = EXCLUDED.city",
                "UPDATE SET floor = 2, seat = EXCLUDED.email WHERE n.city = 'Oulu'")
            .get(random.nextInt(3));
    return "made AS (INSERT INTO users AS n (user_id, tenant_id, email, city) VALUES (%d, %d, 'k%d', %s), (%d, %d, 'k%d', 'Oulu') ON CONFLICT (tenant_id, user_id) DO %s RETURNING *)"
        .formatted(user, tenant, key, city, user + 1, tenant, random.nextInt(9), action);
  }

  /** Parts of which the router hears nothing but what the rest of the statement says of them. */
  private String withCtes(long tenant, int user, int key, String city) {
    String mine = " WHERE tenant_id = " + tenant;
    String where =
        switch (random.nextInt(5)) {
          case 0 -> mine;
          case 1 -> mine + " AND city = 'Oulu'";
          case 2 -> mine + " AND email IN ('k%d', 'k%d')".formatted(key, random.nextInt(9));
          case 3 -> mine + " AND user_id IN (SELECT max(user_id) FROM users" + mine + ")";
          default -> mine + " AND user_id = " + user;
        };
    String gone = "WITH gone AS (DELETE FROM users%s RETURNING *) ".formatted(where);
    String next =
        "'k' || (substr(email, 2)::int + %d) %% 9"
            .formatted(1 + random.nextInt(4))
            .replace("%%", "%");
    String moved =
        "moved AS (UPDATE users u SET email = %s, city = %s%s RETURNING u.user_id, email || '!' AS e)"
            .formatted(next, city, where);
    String made =
        "made AS (INSERT INTO users AS n (user_id, tenant_id, email, city) VALUES (%d, %d, 'k%d', %s), (%d, %d, 'k%d', 'Oulu') RETURNING *)"
            .formatted(user + 3, tenant, key, city, user + 4, tenant, random.nextInt(9));
    return switch (random.nextInt(9)) {
      case 0 -> gone + "SELECT user_id, email FROM gone";
      case 1 -> gone + "SELECT count(*) FROM users" + mine;
      case 2 ->
          gone
              + "INSERT INTO users (tenant_id, user_id, email, floor, seat, city) SELECT tenant_id, 9 - user_id, email, floor, seat, "
              + city
              + " FROM gone RETURNING user_id, city";
      case 3 -> "WITH " + moved + " SELECT count(*), max(e) FROM moved";
      case 4 ->
          "WITH "
              + (random.nextBoolean() ? made : metInCte(tenant, user, key, city))
              + " SELECT n.email, (SELECT count(*) FROM users"
              + mine
              + ") FROM made n";
      case 5 ->
          "WITH %s, %s, late AS (DELETE FROM users%s AND user_id = 1) SELECT * FROM made"
              .formatted(moved, made, mine);
      case 6 ->
          "WITH %s UPDATE users SET floor = 1, seat = 's%d'%s RETURNING email"
              .formatted(moved, key, mine + " AND user_id = " + user);
      case 7 -> "WITH %s DELETE FROM users%s".formatted(moved, mine + " AND user_id < 2");
      default ->
          "WITH top AS (SELECT max(user_id) AS m FROM users%s) UPDATE users SET email = %s%s AND user_id = (SELECT m FROM top)"
              .formatted(mine, next, mine);
    };
  }

  /** How many rows, or which; or the error's SQLSTATE. */
  private static String attempt(Connection client, String sql) {
    try (Statement statement = client.createStatement()) {
      if (!statement.execute(sql)) {
        return "rows " + statement.getUpdateCount();
      }
      List<String> found = new ArrayList<>();
      try (ResultSet result = statement.getResultSet()) {
        int columns = result.getMetaData().getColumnCount();
        while (result.next()) {
          StringBuilder row = new StringBuilder();
          for (int i = 1; i <= columns; i++) {
            row.append(' ').append(result.getString(i));
          }
          found.add(row.toString());
        }
      }
      return "rows" + found.stream().sorted().toList();
    } catch (SQLException e) {
      return String.valueOf(e.getSQLState());
    }
  }
}
