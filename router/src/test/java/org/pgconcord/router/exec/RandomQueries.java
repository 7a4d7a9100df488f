package org.pgconcord.router.exec;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * Makes queries over the tables of {@code reads/schema.sql} whose answers one server gives in one
 * way only: an order is a whole one, a limit stands behind an order, and no sum depends on the
 * order of its terms.
 */
final class RandomQueries {
  private static final List<String> ACCOUNT_VALUES =
      List.of(
          "%s.id",
          "%s.tenant",
          "%s.name",
          "%s.city",
          "%s.balance",
          "%s.born",
          "%s.active",
          "%s.code",
          "%s.plain",
          "%s.wort",
          "%s.tiny",
          "%s.feels",
          "%s.size",
          "upper(%s.city)",
          "%s.balance * 2",
          "coalesce(%s.name, '-')",
          "%s.nums",
          "%s.seen",
          "%s.doc ->> 'n'",
          "CASE WHEN %s.active THEN 'y' ELSE 'n' END",
          "extract(month FROM %s.born)",
          "%s.tags",
          "%s.doc",
          "%s.doc -> 'list'",
          "%s.raw",
          "%s.span",
          "%s.exact",
          "%s.rate",
          "%s.reach",
          "lower(%s.loosely)",
          "%s.nums[2] + %s.tiny",
          "%s.span + interval '1 day'",
          "%s.seen - interval '1 month'",
          "%s.born + 30",
          "array_length(%s.tags, 1)",
          "%s.small::numeric",
          "%s.balance / 7",
          "%s.exact = 1.5",
          "upper(%s.reach)");
  private static final List<String> ORDER_VALUES =
      List.of(
          "%s.order_id",
          "%s.tenant",
          "%s.account",
          "%s.total",
          "%s.status",
          "%s.placed",
          "%s.total::int % 7",
          "date_trunc('day', %s.placed)",
          "%s.status || '!'");
  private static final List<String> GROUPABLE =
      List.of(
          "%s.tenant",
          "%s.city",
          "%s.code",
          "%s.active",
          "%s.plain",
          "%s.feels",
          "%s.tiny % 5",
          "%s.city IS NULL",
          "date_trunc('year', %s.born)",
          "%s.balance > 0",
          "%s.doc -> 'n'",
          "%s.nums[1] % 3",
          "%s.span > interval '50 hours'",
          "%s.reach && int4range(5, 50)",
          "encode(substr(%s.raw, 1, 1), 'hex') > '8'",
          "lower(%s.loosely)",
          "%s.wort",
          "%s.seen > '2024-03-15'");
  private static final List<String> AGGREGATES =
      List.of(
          "count(*)",
          "count(%s.name)",
          "sum(%s.id)",
          "sum(%s.balance)",
          "avg(%s.id)",
          "avg(%s.balance)",
          "min(%s.born)",
          "max(%s.city)",
          "min(%s.wort)",
          "max(%s.feels)",
          "bool_or(%s.active)",
          "count(DISTINCT %s.city)",
          "sum(DISTINCT %s.tiny)",
          "count(*) FILTER (WHERE %s.active)",
          "array_agg(%s.id ORDER BY %s.id)",
          "string_agg(%s.code, ',' ORDER BY %s.id)",
          "sum(%s.tiny) * 2 - count(*)",
          "sum(%s.span)",
          "max(%s.seen)",
          "trim_scale(min(%s.exact))",
          "sum(%s.exact)",
          "max(%s.nums)",
          "count(%s.doc -> 'list')",
          "count(DISTINCT %s.loosely)",
          "count(DISTINCT %s.doc)",
          "max(lower(%s.loosely) COLLATE \"C\")",
          "every(%s.id > 0)",
          "bit_or(%s.tiny)",
          "round(stddev(%s.balance), 6)",
          "percentile_disc(0.5) WITHIN GROUP (ORDER BY %s.id)",
          "sum(CASE WHEN %s.active THEN 1 ELSE 0 END)",
          "count(*) FILTER (WHERE %s.loosely = 'FAST')",
          "jsonb_agg(%s.doc ORDER BY %s.id)");
  private static final List<String> ACCOUNT_CONDITIONS =
      List.of(
          "%s.id < 60",
          "%s.tenant = 3",
          "%s.tenant IN (1, 2, 5)",
          "%s.active",
          "%s.active IS NOT TRUE",
          "%s.name IS NULL",
          "%s.balance BETWEEN 0 AND 400",
          "%s.city LIKE '_s%%'",
          "lower(%s.city) = 'oslo'",
          "%s.tiny %% 3 = 1",
          "%s.feels > 'sad'",
          "%s.born >= date '2020-06-01'",
          "NOT %s.active",
          "(%s.code = 'DE' OR %s.id > 100)",
          "%s.nums @> ARRAY[20]",
          "%s.tenant = ANY ('{4,6}')",
          "%s.loosely = 'fast'",
          "%s.loosely IN ('SLOW', 'x')",
          "%s.doc @> '{\"n\": 2}'",
          "%s.exact = 1.5",
          "%s.exact IS DISTINCT FROM 1.5",
          "%s.rate = 0",
          "%s.rate = 'NaN'",
          "%s.span < interval '3 days'",
          "%s.raw > '\\x80'",
          "%s.wort > 'b'",
          "%s.plain > 'a'",
          "%s.reach @> 20",
          "%s.seen < '2024-03-20'",
          "%s.tags[1] = 't1'",
          "%s.name IS DISTINCT FROM 'name 3'",
          "(%s.nums IS NULL) = %s.active",
          "%s.id = 17",
          "%s.id IN (5, 17, 70, 200)",
          "%s.id = ANY ('{3,NULL,9}')",
          "%s.city = 'Oslo'",
          "%s.city IN ('oslo', 'Ærø')");
  private static final List<String> ORDER_CONDITIONS =
      List.of(
          "%s.total > 50",
          "%s.status = 'paid'",
          "%s.status IS NULL",
          "%s.tenant = 2",
          "%s.order_id %% 4 = 0",
          "%s.tenant IN (0, 6)",
          "%s.account < 40",
          "%s.order_id = 77",
          "%s.status IN ('paid', 'open')");

  private final Random random;

  RandomQueries(Random random) {
    this.random = random;
  }

  String next() {
    return switch (random.nextInt(24)) {
      case 17, 18 -> byIndex();
      case 19, 20, 21, 22, 23 -> new RandomParts(this, random).next();
      case 13, 14 -> several();
      case 15, 16 -> byKey();
      case 0, 1 -> rows();
      case 2, 3 -> groups();
      case 4, 5 -> joined();
      case 6 -> combined();
      case 7, 8 -> nested();
      case 9 -> windows();
      case 10 -> grouped();
      case 11 -> threeArms();
      default -> correlated();
    };
  }

  /** A condition over accounts {@code a}, or over orders {@code o}, of up to three parts. */
  String predicate(boolean orders) {
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(3); i >= 0; i--) {
      List<String> from = orders && random.nextBoolean() ? ORDER_CONDITIONS : ACCOUNT_CONDITIONS;
      text.append(text.isEmpty() ? "" : random.nextBoolean() ? " AND " : " OR ");
      text.append(random.nextInt(4) == 0 ? "NOT " : "").append('(').append(one(from, null));
      text.append(')');
    }
    return text.toString();
  }

  private String rows() {
    String distinct = random.nextInt(4) == 0 ? "DISTINCT " : "";
    List<String> values = some(ACCOUNT_VALUES, "a", 1 + random.nextInt(3));
    if (distinct.isEmpty()) {
      values.add("a.id");
    } else {
      // Of values that are equal and look different any may be the one that stays.
      values.replaceAll(v -> v.equals("a.exact") || v.equals("a.rate") ? v + " + 0.000" : v);
    }
    return "SELECT "
        + distinct
        + String.join(", ", values)
        + " FROM accounts a"
        + where("a")
        + ordered(values.size());
  }

  String groups() {
    List<String> keys = some(GROUPABLE, "a", random.nextInt(3));
    List<String> values = new ArrayList<>(keys);
    values.addAll(some(AGGREGATES, "a", 1 + random.nextInt(3)));
    String list = String.join(", ", keys);
    String group =
        keys.isEmpty()
            ? ""
            : switch (random.nextInt(5)) {
              case 0 -> " GROUP BY ROLLUP (" + list + ")";
              case 1 -> " GROUP BY CUBE (" + list + ")";
              default -> " GROUP BY " + list;
            };
    String having = random.nextInt(4) == 0 ? " HAVING count(*) > 2" : "";
    return "SELECT "
        + String.join(", ", values)
        + " FROM accounts a"
        + where("a")
        + group
        + having
        + ordered(values.size());
  }

  private String joined() {
    String join = List.of("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN").get(random.nextInt(4));
    String on =
        random.nextBoolean() ? "o.tenant = a.tenant AND o.account = a.id" : "o.account = a.id";
    String more =
        random.nextInt(3) == 0 && !join.startsWith("FULL")
            ? " AND " + one(random.nextBoolean() ? ACCOUNT_CONDITIONS : ORDER_CONDITIONS, null)
            : "";
    String from = " FROM accounts a " + join + " orders o ON " + on + more;
    List<String> conditions = new ArrayList<>();
    for (int i = random.nextInt(3); i > 0; i--) {
      conditions.add(one(random.nextBoolean() ? ACCOUNT_CONDITIONS : ORDER_CONDITIONS, null));
    }
    String where = conditions.isEmpty() ? "" : " WHERE " + String.join(" AND ", conditions);
    if (random.nextInt(3) == 0) {
      return "SELECT count(*), sum(o.total), max(a.city)" + from + where;
    }
    List<String> values = some(ACCOUNT_VALUES, "a", 1 + random.nextInt(2));
    values.addAll(some(ORDER_VALUES, "o", 1 + random.nextInt(2)));
    values.addAll(List.of("a.id", "o.order_id"));
    return "SELECT " + String.join(", ", values) + from + where + ordered(values.size());
  }

  /** Tables that are co-located, copied everywhere, and neither, by ON and by WHERE. */
  private String several() {
    List<String> conditions = new ArrayList<>(some(ACCOUNT_CONDITIONS, "a", random.nextInt(3)));
    if (random.nextBoolean()) {
      conditions.add(one(ORDER_CONDITIONS, null));
    }
    if (random.nextInt(3) == 0) {
      conditions.add("c.title LIKE '%e%'");
    }
    if (random.nextInt(3) == 0) {
      conditions.add("e.kind = 'kind " + random.nextInt(4) + "'");
    }
    if (random.nextInt(3) == 0) {
      String deep = one(ORDER_CONDITIONS, null).replace("o.", "p.");
      conditions.add(
          one(
              List.of(
                  "EXISTS (SELECT 1 FROM orders p WHERE p.tenant = a.tenant AND " + deep + ")",
                  "a.id IN (SELECT p.account FROM orders p WHERE p.tenant = a.tenant AND "
                      + deep
                      + ")",
                  "a.id > (SELECT count(p.total) FROM orders p WHERE p.tenant = o.tenant AND "
                      + deep
                      + ")",
                  "NOT EXISTS (SELECT 1 FROM countries d WHERE d.code = a.code AND d.title < 'H')",
                  "a.tenant IN (SELECT p.tenant FROM orders p WHERE " + deep + ")",
                  "a.tenant NOT IN (SELECT p.tenant FROM orders p WHERE " + deep + ")"),
              null));
    }
    String meet =
        random.nextInt(3) > 0 ? "o.tenant = a.tenant AND o.account = a.id" : "o.account = a.id";
    String from;
    if (random.nextBoolean()) {
      from = " FROM accounts a, orders o, events e, countries c";
      conditions.addAll(
          List.of(meet, "e.tenant = o.order_id % 9 AND e.at < '2024-02-01'", "c.code = a.code"));
      Collections.shuffle(conditions, random);
    } else {
      String outer = random.nextInt(3) == 0 ? "LEFT " : "";
      from =
          " FROM accounts a JOIN orders o ON "
              + meet
              + " "
              + outer
              + "JOIN events e ON e.tenant = o.order_id % 9 AND e.at < '2024-02-01' "
              + (random.nextInt(4) == 0 ? "LEFT " : "")
              + "JOIN countries c ON c.code = a.code";
    }
    String where = conditions.isEmpty() ? "" : " WHERE " + String.join(" AND ", conditions);
    return random.nextBoolean()
        ? "SELECT count(*), sum(o.total), count(DISTINCT e.id), max(c.title)" + from + where
        : "SELECT a.id, o.order_id, e.id, c.title" + from + where;
  }

  /** Rows that keys of indexes name, by themselves and beside tables of every other kind. */
  private String byIndex() {
    String key = one(List.of("a.id = %d", "a.id IN (%d, 90)", "a.id = ANY ('{%d}')"), null);
    String keyed = key.formatted(random.nextInt(125));
    String beside =
        one(
            List.of(
                "",
                " JOIN notes n ON n.id = 3",
                " JOIN notes n ON n.tenant = a.tenant",
                " LEFT JOIN notes n ON n.id = a.id",
                " JOIN countries c ON c.code = a.code",
                " LEFT JOIN orders o ON o.tenant = a.tenant AND o.account = a.id",
                " JOIN orders o ON o.order_id = a.id",
                " JOIN events e ON e.tenant = a.tenant",
                " CROSS JOIN (VALUES (1), (2)) v(x)"),
            null);
    String from = " FROM accounts a" + beside + where("a");
    String condition = (from.contains(" WHERE ") ? " AND " : " WHERE ") + keyed;
    return switch (random.nextInt(4)) {
      case 0 -> "SELECT count(*), max(a.city)" + from + condition;
      case 1 -> "SELECT a.*" + from + condition;
      case 2 ->
          "SELECT b.id, (SELECT count(*)"
              + from
              + condition
              + ") FROM accounts b WHERE b.city = 'Oslo'";
      default -> "SELECT a.id, a.city, " + one(ACCOUNT_VALUES, "a") + from + condition;
    };
  }

  /** Groups, windows and duplicates that have the shard key among their columns, or nearly. */
  private String byKey() {
    boolean two = random.nextBoolean();
    String join = one(List.of("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"), null);
    String on = random.nextInt(4) == 0 ? "o.account = a.id" : "o.tenant = a.tenant";
    String from = two ? " FROM accounts a " + join + " orders o ON " + on : " FROM accounts a";
    String key = two ? one(List.of("a.tenant", "a.tenant", "o.tenant"), null) : "a.tenant";
    String other = one(GROUPABLE, "a");
    String aggregate = one(AGGREGATES, "a");
    return switch (random.nextInt(6)) {
      case 0 ->
          "SELECT "
              + key
              + ", "
              + other
              + ", "
              + aggregate
              + from
              + where("a")
              + " GROUP BY "
              + other
              + ", "
              + key;
      case 1 ->
          "SELECT "
              + key
              + " AS k, "
              + aggregate
              + from
              + where("a")
              + " GROUP BY k"
              + (random.nextBoolean() ? " HAVING count(*) > 3" : "");
      case 2 ->
          "SELECT "
              + key
              + ", "
              + aggregate
              + from
              + where("a")
              + " GROUP BY 1"
              + (random.nextBoolean() ? " ORDER BY 1 LIMIT 3" : "");
      case 3 ->
          "SELECT " + aggregate + from + where("a") + " GROUP BY ROLLUP (" + other + "), " + key;
      case 4 -> "SELECT DISTINCT " + other + ", " + key + from + where("a");
      default ->
          "SELECT a.id, "
              + one(List.of("sum(a.balance)", "count(*)", "max(a.id)"), null)
              + " OVER (PARTITION BY "
              + key
              + ", a.active) AS v, count(*) OVER w"
              + from
              + where("a")
              + " WINDOW w AS (PARTITION BY "
              + one(List.of("a.city", key), null)
              + ")";
    };
  }

  private String combined() {
    String operator =
        List.of("UNION", "UNION ALL", "INTERSECT", "EXCEPT", "EXCEPT ALL").get(random.nextInt(5));
    return "SELECT a.tenant::bigint, a.id::bigint FROM accounts a"
        + where("a")
        + " "
        + operator
        + " SELECT o.tenant, o.account FROM orders o WHERE "
        + one(ORDER_CONDITIONS, null)
        + ordered(2);
  }

  private String nested() {
    String inner = "o.account = a.id AND " + one(ORDER_CONDITIONS, null);
    String colocated = random.nextBoolean() ? "o.tenant = a.tenant AND " : "";
    return switch (random.nextInt(5)) {
      case 0 ->
          "SELECT a.id FROM accounts a WHERE EXISTS (SELECT 1 FROM orders o WHERE "
              + colocated
              + inner
              + ") ORDER BY 1";
      case 1 ->
          "SELECT a.id, (SELECT sum(o.total) FROM orders o WHERE "
              + colocated
              + inner
              + ") FROM accounts a"
              + where("a")
              + " ORDER BY 1";
      case 2 ->
          "WITH c AS (SELECT o.tenant, count(*) AS n FROM orders o WHERE "
              + one(ORDER_CONDITIONS, null)
              + " GROUP BY o.tenant) SELECT a.id, c.n FROM accounts a LEFT JOIN c ON c.tenant = a.tenant"
              + where("a")
              + " ORDER BY 1, 2";
      case 3 ->
          "SELECT a.id, sum(a.balance) OVER (PARTITION BY a.city ORDER BY a.id) FROM accounts a"
              + where("a")
              + " ORDER BY 1";
      default ->
          "SELECT x.city, x.n FROM (SELECT a.city, count(*) AS n FROM accounts a"
              + where("a")
              + " GROUP BY a.city) x WHERE x.n NOT IN (SELECT o.order_id FROM orders o WHERE o.order_id < 6)"
              + " ORDER BY 2, 1";
    };
  }

  private String windows() {
    String partition = one(List.of("a.tenant", "a.city", "a.tenant, a.active", "a.code"), null);
    String call =
        one(
            List.of(
                "row_number()",
                "rank()",
                "sum(a.balance)",
                "count(*)",
                "lag(a.name)",
                "first_value(a.born)",
                "ntile(3)"),
            null);
    String over = "PARTITION BY " + partition + " ORDER BY a.id";
    boolean named = random.nextBoolean();
    return "SELECT a.id, "
        + call
        + (named ? " OVER w" : " OVER (" + over + ")")
        + " AS v FROM accounts a"
        + where("a")
        + (named ? " WINDOW w AS (" + over + ")" : "")
        + (random.nextBoolean() ? " ORDER BY v, a.id LIMIT 20" : "");
  }

  /** Groups of joined rows, grouping sets, and the first row of each group. */
  private String grouped() {
    String on =
        random.nextBoolean() ? "o.tenant = a.tenant AND o.account = a.id" : "o.account = a.id";
    String key = one(GROUPABLE, "a");
    return switch (random.nextInt(3)) {
      case 0 ->
          "SELECT "
              + key
              + " AS k, o.status, count(*), sum(o.total), "
              + one(AGGREGATES, "a")
              + " FROM accounts a JOIN orders o ON "
              + on
              + where("a")
              + " GROUP BY k, o.status";
      case 1 ->
          "SELECT a.city, a.code, grouping(a.city, a.code), count(*), "
              + one(AGGREGATES, "a")
              + " FROM accounts a"
              + where("a")
              + " GROUP BY GROUPING SETS ((a.city, a.code), (a.city), (a.code), ())"
              + (random.nextBoolean() ? " HAVING sum(a.id) > 30" : "");
      default ->
          "SELECT DISTINCT ON (k) "
              + key
              + " AS k, a.id, a.name FROM accounts a"
              + where("a")
              + " ORDER BY k, a.id DESC";
    };
  }

  private String threeArms() {
    List<String> operators = List.of("UNION", "UNION ALL", "INTERSECT", "EXCEPT", "INTERSECT ALL");
    String first = one(operators, null);
    String second = one(operators, null);
    String arms =
        "(SELECT a.city::text, a.tenant FROM accounts a%s) %s (SELECT c.title, 1 FROM countries c) %s"
            + " (SELECT e.kind, e.tenant FROM events e WHERE e.at > '2024-01-20')";
    return arms.formatted(where("a"), first, second)
        + (random.nextBoolean() ? " ORDER BY 1 NULLS FIRST, 2 LIMIT 9" : "");
  }

  /** What is asked per row, of its own shard or of any. */
  private String correlated() {
    String same = random.nextInt(3) > 0 ? "o.tenant = a.tenant AND " : "";
    String inner = same + "o.account = a.id AND " + one(ORDER_CONDITIONS, null);
    String value =
        one(
            List.of("count(*)", "max(o.total)", "string_agg(o.status, ',' ORDER BY o.order_id)"),
            null);
    return switch (random.nextInt(4)) {
      case 0 ->
          "SELECT a.id, x.* FROM accounts a LEFT JOIN LATERAL (SELECT "
              + value
              + " AS v FROM orders o WHERE "
              + inner
              + ") x ON true"
              + where("a");
      case 1 ->
          "SELECT a.city, count(*), sum(a.id) FROM accounts a WHERE "
              + (random.nextBoolean() ? "NOT " : "")
              + "EXISTS (SELECT 1 FROM orders o WHERE "
              + inner
              + ") GROUP BY a.city";
      case 2 ->
          "SELECT a.id, (SELECT "
              + value
              + " FROM orders o WHERE "
              + inner
              + ") FROM accounts a"
              + where("a");
      default ->
          "SELECT a.id, (SELECT o.order_id FROM orders o WHERE "
              + inner
              + " ORDER BY o.order_id LIMIT 1) AS first FROM accounts a WHERE a.balance > (SELECT"
              + " avg(b.balance) FROM accounts b WHERE b.tenant = a.tenant) ORDER BY 2, 1 LIMIT 10";
    };
  }

  /** An order over all columns makes every answer one of its kind. */
  String ordered(int columns) {
    if (random.nextInt(3) == 0) {
      return "";
    }
    StringBuilder order = new StringBuilder(" ORDER BY ");
    List<Integer> items = new ArrayList<>();
    for (int i = 1; i <= columns; i++) {
      items.add(i);
    }
    Collections.shuffle(items, random);
    String separator = "";
    for (int item : items) {
      order.append(separator).append(item).append(random.nextInt(4) == 0 ? " DESC" : "");
      separator = ", ";
    }
    if (random.nextBoolean()) {
      order.append(" LIMIT ").append(random.nextInt(12));
      order.append(random.nextBoolean() ? " OFFSET " + random.nextInt(9) : "");
    }
    return order.toString();
  }

  String where(String alias) {
    int count = random.nextInt(3);
    return count == 0
        ? ""
        : " WHERE " + String.join(" AND ", some(ACCOUNT_CONDITIONS, alias, count));
  }

  String aggregate(String alias) {
    return one(AGGREGATES, alias);
  }

  String groupable(String alias) {
    return one(GROUPABLE, alias);
  }

  String orderCondition(String alias) {
    return one(ORDER_CONDITIONS, alias);
  }

  private List<String> some(List<String> from, String alias, int count) {
    List<String> chosen = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      String one = one(from, alias);
      if (!chosen.contains(one)) {
        chosen.add(one);
      }
    }
    return chosen;
  }

  /** {@code null}: the alias of the list's own table. */
  private String one(List<String> from, @org.jspecify.annotations.Nullable String alias) {
    String name = alias == null ? (from.equals(ORDER_CONDITIONS) ? "o" : "a") : alias;
    return from.get(random.nextInt(from.size())).replace("%s", name).replace("%%", "%");
  }
}
