package org.pgconcord.daemon.demo;

import java.sql.SQLException;
import java.util.List;
import org.pgconcord.daemon.cli.sql.AlignedTable;
import org.pgconcord.testkit.cluster.sample.SampleUser;
import org.postgresql.util.PSQLException;

/** Chapter: one query of each kind, with the router's plan and the answer. */
final class Samples {
  /** A query, and how many rows must come. */
  private record Sample(String title, String sql, int rows) {}

  private final Narrator narrator;
  private final RouterClient router;
  private final SampleUser user;

  Samples(Narrator narrator, RouterClient router, SampleUser user) {
    this.narrator = narrator;
    this.router = router;
    this.user = user;
  }

  void run() throws SQLException {
    narrator.chapter("One query of each kind");
    for (Sample sample : samples()) {
      show(sample);
    }
    showRefused(
        "a second tenant with an email that is taken",
        "INSERT INTO users (tenant_id, user_id, email) VALUES (%d, 4000000000, '%s')"
            .formatted(user.tenantId() % 1000 + 1, user.email()),
        "23505");
    showRefused("what means something on one shard only", "SELECT ctid FROM users", "0A000");
  }

  private List<Sample> samples() {
    String key = "tenant_id = " + user.tenantId() + " AND user_id = " + user.userId();
    return List.of(
        new Sample("by shard key", "SELECT name, email FROM users WHERE " + key, 1),
        new Sample(
            "by email, through the index",
            "SELECT tenant_id, name FROM users WHERE email = '" + user.email() + "'",
            1),
        new Sample("a reference table", "SELECT name FROM countries WHERE code = 'IS'", 1),
        new Sample(
            "a join with a reference table",
            "SELECT u.name, c.name AS country FROM users u JOIN countries c"
                + " ON c.code = u.country_code WHERE u."
                + key.replace("AND ", "AND u."),
            1),
        new Sample("all shards", "SELECT tenant_id, name FROM users WHERE user_id IN (1, 2, 3)", 3),
        new Sample(
            "all shards, put together by one of them",
            "SELECT c.name AS country, count(*) AS users, max(u.user_id) FROM users u"
                + " JOIN countries c ON c.code = u.country_code WHERE u.user_id < 4"
                + " GROUP BY c.name ORDER BY 2 DESC, 1 LIMIT 3",
            3),
        new Sample("no table at all", "SELECT 40 + 2 AS answer", 1));
  }

  private void show(Sample sample) throws SQLException {
    narrator.blank();
    narrator.say(sample.title() + ":");
    narrator.command(sample.sql());
    narrator.block(router.explain(sample.sql()).stream().filter(line -> !repeats(line)).toList());
    AlignedTable answer = router.query(sample.sql());
    narrator.block(answer.lines());
    if (answer.rowCount() != sample.rows()) {
      narrator.bad(sample.rows() + " rows were expected, " + answer.rowCount() + " came");
    }
  }

  /** The chapters before show plans whole; here the statement stands right above its plan. */
  private static boolean repeats(String line) {
    return line.strip().startsWith("SQL: ") || line.strip().startsWith("Tables: ");
  }

  private void showRefused(String title, String sql, String sqlState) {
    narrator.blank();
    narrator.say(title + ":");
    narrator.command(sql);
    try {
      router.update(sql);
      narrator.bad("this should have been refused");
    } catch (SQLException e) {
      narrator.block(org.pgconcord.daemon.cli.sql.SqlErrorText.of(e).lines().toList());
      if (!sqlState.equals(e.getSQLState()) || !(e instanceof PSQLException)) {
        narrator.bad("SQLSTATE " + sqlState + " was expected");
      }
    }
  }
}
