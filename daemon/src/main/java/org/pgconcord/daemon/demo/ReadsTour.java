package org.pgconcord.daemon.demo;

import java.sql.SQLException;
import java.util.List;
import org.pgconcord.testkit.cluster.sample.SampleUser;

/**
 * Chapter: ten reads with their route, their shards, what each shard did, and why no better way was
 * found.
 */
final class ReadsTour {
  /**
   * A query.
   *
   * @param route how its plan has to begin
   * @param rows how many must come
   */
  private record Read(String title, String sql, String route, int rows) {}

  private static final String SCATTER = "scatter";
  private static final String GATHER = "rows gathered, finished on one shard";

  private final Narrator narrator;
  private final RouterClient router;
  private final SampleUser user;

  ReadsTour(Narrator narrator, RouterClient router, SampleUser user) {
    this.narrator = narrator;
    this.router = router;
    this.user = user;
  }

  void run() throws SQLException {
    narrator.chapter("Ten reads: where they go, and why");
    for (Read read : reads()) {
      show(read);
    }
  }

  private List<Read> reads() {
    String key = "tenant_id = " + user.tenantId() + " AND user_id = " + user.userId();
    String email = "'" + user.email() + "'";
    return List.of(
        new Read("by shard key", "SELECT name FROM users WHERE " + key, "one shard", 1),
        new Read(
            "by email: the entry names the shard",
            "SELECT tenant_id, name FROM users WHERE email = " + email,
            "index lookup",
            1),
        new Read(
            "by a function of the email: no index has it",
            "SELECT tenant_id, name FROM users WHERE lower(email) = " + email,
            SCATTER,
            1),
        new Read(
            "by something that is no key",
            "SELECT tenant_id, name FROM users WHERE user_id IN (1, 2, 3)",
            SCATTER,
            3),
        new Read(
            "a reference table: any copy",
            "SELECT name FROM countries WHERE code = 'IS'",
            "any copy",
            1),
        new Read(
            "a join with a reference table, on the shard of the key",
            "SELECT u.name, c.name FROM users u JOIN countries c ON c.code = u.country_code"
                + " WHERE u."
                + key.replace("AND ", "AND u."),
            "one shard",
            1),
        new Read(
            "a count: each shard counts, one adds up",
            "SELECT count(*) FROM users WHERE user_id < 100",
            GATHER,
            1),
        new Read(
            "an average by group: sums and counts travel, no rows",
            "SELECT country_code, avg(user_id) FROM users WHERE user_id < 100"
                + " GROUP BY country_code ORDER BY 2 DESC LIMIT 3",
            GATHER,
            3),
        new Read(
            "the first rows of an order: each shard sends its own first ones",
            "SELECT user_id, name FROM users ORDER BY user_id LIMIT 3",
            GATHER,
            3),
        new Read("no table at all", "SELECT 40 + 2 AS answer", "authoritative shard", 1));
  }

  private void show(Read read) throws SQLException {
    narrator.blank();
    narrator.say(read.title() + ":");
    narrator.command("EXPLAIN (ROUTER, ANALYZE) " + read.sql());
    List<String> plan = router.analyze(read.sql());
    narrator.block(plan.stream().filter(line -> !line.startsWith("  Tables: ")).toList());
    if (!plan.get(0).startsWith("Route: " + read.route())) {
      narrator.bad("another route was expected: " + read.route());
    }
    int rows = router.query(read.sql()).rowCount();
    if (rows != read.rows()) {
      narrator.bad(read.rows() + " rows were expected, " + rows + " came");
    }
  }
}
