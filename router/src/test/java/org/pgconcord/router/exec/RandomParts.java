package org.pgconcord.router.exec;

import java.util.List;
import java.util.Random;

/**
 * Queries made of several SELECTs: subqueries in FROM, CTEs, arms of set operations and subqueries
 * in expressions, which group, aggregate, join and limit by themselves.
 */
final class RandomParts {
  private final RandomQueries queries;
  private final Random random;

  RandomParts(RandomQueries queries, Random random) {
    this.queries = queries;
    this.random = random;
  }

  String next() {
    return switch (random.nextInt(6)) {
      case 0 -> inFrom();
      case 1 -> ctes();
      case 2 -> arms();
      case 3 -> scalars();
      case 4 -> beside();
      default -> overGroups();
    };
  }

  /** Columns k (a text) and v (a number), one row for each k, but for the first form. */
  private String keyed() {
    return switch (random.nextInt(7)) {
      case 0 -> "SELECT a.city::text AS k, a.id AS v FROM accounts a" + queries.where("a");
      case 1 ->
          "SELECT a.city::text AS k, "
              + number("a")
              + " AS v FROM accounts a"
              + queries.where("a")
              + " GROUP BY a.city";
      case 2 ->
          "SELECT o.status AS k, count(*) AS v FROM orders o WHERE "
              + queries.orderCondition("o")
              + " GROUP BY 1";
      case 3 ->
          "SELECT a.plain AS k, "
              + number("a")
              + " AS v FROM accounts a JOIN orders o ON o.tenant = a.tenant"
              + queries.where("a")
              + " GROUP BY k";
      case 4 ->
          "SELECT coalesce(a.name, 'none') AS k, a.id AS v FROM accounts a"
              + queries.where("a")
              + " ORDER BY a.id DESC LIMIT "
              + random.nextInt(9);
      case 5 ->
          "SELECT a.code::text AS k, "
              + number("a")
              + " AS v FROM accounts a JOIN countries c ON c.code = a.code"
              + queries.where("a")
              + " GROUP BY a.code HAVING count(*) > 1";
      default ->
          "SELECT DISTINCT a.city::text AS k, a.tenant AS v FROM accounts a" + queries.where("a");
    };
  }

  private String number(String alias) {
    return one(
            "count(*)",
            "sum(%s.id)",
            "max(%s.id)",
            "count(DISTINCT %s.tiny)",
            "round(avg(%s.balance), 3)",
            "count(*) FILTER (WHERE %s.active)",
            "sum(%s.tiny) + count(DISTINCT %s.city)",
            "round(stddev(%s.balance), 5)")
        .replace("%s", alias);
  }

  private String inFrom() {
    String other = one("JOIN", "LEFT JOIN", "FULL JOIN", "CROSS JOIN");
    String on = other.startsWith("CROSS") ? "" : " ON y.k = x.k";
    String from = " FROM (" + keyed() + ") x " + other + " (" + keyed() + ") AS y" + on;
    return random.nextBoolean()
        ? "SELECT x.k, x.v, y.v AS w" + from + queries.ordered(3)
        : "SELECT count(*), sum(x.v), max(y.k), count(DISTINCT y.v)" + from;
  }

  private String ctes() {
    String materialized = one("", "MATERIALIZED ", "NOT MATERIALIZED ");
    String with = "WITH x AS " + materialized + "(" + keyed() + "), y(k, v) AS (" + keyed() + ")";
    return switch (random.nextInt(4)) {
      case 0 -> with + " SELECT x.k, sum(x.v), count(*) FROM x GROUP BY x.k" + queries.ordered(3);
      case 1 -> with + " SELECT * FROM x UNION ALL SELECT * FROM x UNION ALL SELECT * FROM y";
      case 2 ->
          with
              + ", z AS (SELECT x.k, count(*) AS v FROM x GROUP BY x.k) SELECT z.k, z.v, y.v FROM z"
              + " JOIN y USING (k)";
      default ->
          with
              + " SELECT a.id, x.v FROM accounts a JOIN x ON x.k = a.city"
              + queries.where("a")
              + queries.ordered(2);
    };
  }

  private String arms() {
    String operator = one("UNION ALL", "UNION ALL", "UNION", "INTERSECT", "EXCEPT", "EXCEPT ALL");
    String second = random.nextInt(3) == 0 ? "(" + keyed() + ")" : null;
    String last = random.nextBoolean() ? "SELECT 'all', count(*) FROM orders o" : keyed("'sum'");
    String first = "(" + keyed() + ")";
    String arms =
        first + " " + operator + " " + (second == null ? last : second + " UNION ALL " + last);
    return switch (random.nextInt(3)) {
      case 0 -> arms;
      case 1 -> arms + queries.ordered(2);
      default -> "SELECT u.k, count(*), sum(u.v) FROM (" + arms + ") u GROUP BY u.k";
    };
  }

  private String keyed(String key) {
    return "SELECT " + key + ", " + number("a") + " FROM accounts a" + queries.where("a");
  }

  /** Subqueries that name nothing from around them, and some that do. */
  private String scalars() {
    String id = one("a.id", "id");
    String correlated = random.nextInt(4) == 0 ? " AND p.tenant = a.tenant" : "";
    return switch (random.nextInt(6)) {
      case 0 ->
          "SELECT (SELECT "
              + number("p")
              + " FROM accounts p"
              + queries.where("p")
              + "),"
              + " (SELECT count(*) FROM orders WHERE total > 20), (SELECT max(title) FROM countries)";
      case 1 ->
          "SELECT a.id FROM accounts a WHERE a.balance > (SELECT avg(p.balance) FROM accounts p"
              + " WHERE p.active"
              + correlated
              + ")"
              + queries.ordered(1);
      case 2 ->
          "SELECT a.id, a.city FROM accounts a WHERE a.tenant IN (SELECT tenant FROM orders p"
              + " GROUP BY tenant HAVING count(*) > "
              + random.nextInt(30)
              + ")";
      case 3 ->
          "SELECT a.id FROM accounts a WHERE "
              + id
              + " NOT IN (SELECT p.account FROM orders p WHERE p.account IS NOT NULL"
              + correlated
              + " GROUP BY p.account)";
      case 4 ->
          "SELECT count(*) FROM accounts a WHERE a.id = ANY (SELECT max(id) FROM accounts p"
              + " WHERE p.id < 90"
              + correlated
              + " GROUP BY city)";
      default ->
          "SELECT a.id, (SELECT sum(total) FROM orders p WHERE account > "
              + id
              + correlated
              + ") FROM accounts a WHERE a.id < 40";
    };
  }

  /** Groups of one table beside the rows of another, by the shard key or not. */
  private String beside() {
    String join = one("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN");
    boolean near = random.nextInt(3) > 0;
    String key = near ? "tenant" : "account";
    String value =
        one(
            "count(*)",
            "sum(p.total)",
            "max(p.order_id)",
            "array_agg(p.order_id ORDER BY p.order_id)");
    String group =
        "SELECT p."
            + key
            + ", "
            + value
            + " AS n FROM orders p WHERE "
            + queries.orderCondition("p")
            + " GROUP BY p."
            + key;
    String on = " ON o." + key + " = a." + (near ? "tenant" : "id");
    String rest = queries.where("a");
    return switch (random.nextInt(4)) {
      case 0 ->
          "SELECT a.id, o.n FROM accounts a "
              + join
              + " ("
              + group
              + ") o"
              + on
              + rest
              + queries.ordered(2);
      case 1 ->
          "WITH o AS ("
              + group
              + ") SELECT a.id, a.city, o.n FROM accounts a "
              + join
              + " o"
              + on
              + rest;
      case 2 ->
          "SELECT a.city, count(*), count(o.n) FROM accounts a "
              + join
              + " ("
              + group
              + ") o"
              + on
              + rest
              + " GROUP BY a.city";
      default ->
          "SELECT * FROM (SELECT a.id, a.tenant, a.city, row_number() OVER (PARTITION BY a."
              + one("tenant", "city")
              + " ORDER BY a.id) AS r FROM accounts a"
              + rest
              + ") x WHERE x.r <= 2"
              + queries.ordered(4);
    };
  }

  private String overGroups() {
    String groups =
        "SELECT a."
            + one("tenant", "city", "code", "wort")
            + " AS k, "
            + number("a")
            + " AS v FROM accounts a"
            + queries.where("a")
            + " GROUP BY 1";
    return switch (random.nextInt(4)) {
      case 0 -> "SELECT count(*), sum(v), max(v) FROM (" + groups + ") x";
      case 1 -> "SELECT v, count(*) FROM (" + groups + ") x GROUP BY v" + queries.ordered(2);
      case 2 -> "WITH x AS (" + groups + ") SELECT k, v FROM x WHERE v > 2" + queries.ordered(2);
      default ->
          "SELECT x.k, x.v FROM ("
              + groups
              + ") x WHERE x.v = (SELECT max(y.v) FROM ("
              + groups
              + ") y)";
    };
  }

  private String one(String... from) {
    return List.of(from).get(random.nextInt(from.length));
  }
}
