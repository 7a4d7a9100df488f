package org.pgconcord.daemon.demo;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.daemon.cli.ReportText;
import org.pgconcord.daemon.cli.sql.SqlErrorText;
import org.pgconcord.testkit.cluster.ShardCluster;
import org.pgconcord.testkit.cluster.sample.SampleUser;

/**
 * Chapters: an INSERT commits its entry on one server and its row on another; the second server is
 * killed between the two. The entry is left without a row. Answers are the same as before, the
 * client learns that the outcome is unknown, and the entry is removed.
 *
 * <p>Nothing in the router is prepared for this: {@link HeldCommit} makes the row's server wait in
 * its COMMIT, and the server is killed there.
 */
final class CrashTour {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final long POLL_NANOS = Duration.ofMillis(20).toNanos();
  private static final String EMAIL = "crash@example.com";

  private final DemoOptions options;
  private final Narrator narrator;
  private final ShardCluster cluster;
  private final AdminApi admin;
  private final RouterClient router;
  private final SampleUser user;
  private final ShardId lookup;
  private final ShardId home;

  /**
   * @param user somebody whose row is on the last shard, as the new one's will be
   */
  CrashTour(
      DemoOptions options,
      Narrator narrator,
      ShardCluster cluster,
      AdminApi admin,
      RouterClient router,
      SampleUser user) {
    this.options = options;
    this.narrator = narrator;
    this.cluster = cluster;
    this.admin = admin;
    this.router = router;
    this.user = user;
    List<ShardId> shards = cluster.shards();
    this.lookup = shards.get(0);
    this.home = shards.get(shards.size() - 1);
  }

  void run(Ending ending) throws SQLException {
    killBetweenCommits(ending);
    showSurplus();
    showAnswers();
    awaitRepair();
    tryAgain();
  }

  private void killBetweenCommits(Ending ending) throws SQLException {
    narrator.chapter("Kill a server between two commits of one INSERT");
    narrator.say("the entry commits on " + lookup + " first, the row on " + home + " second;");
    narrator.say("a trigger makes " + home + " wait in its COMMIT, where it can be killed:");
    HeldCommit held = ending.add(HeldCommit.begin(cluster, home, EMAIL));
    narrator.command(insert());
    CompletableFuture<String> client = insertInBackground(ending);
    narrator.judge(
        await(() -> entries() == 1), "the entry is committed, the row waits in its COMMIT");
    narrator.command("kill -9 " + cluster.shard(home).pid() + "      # " + home);
    cluster.shard(home).kill();
    String told = client.orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS).join();
    narrator.block(told.lines().toList());
    narrator.judge(told.contains("08007"), "the client is told that the outcome is unknown");
    held.close();
  }

  /** What the client is told. */
  private CompletableFuture<String> insertInBackground(Ending ending) throws SQLException {
    RouterClient client = ending.add(RouterClient.connect(options.port()));
    CompletableFuture<String> told = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              try {
                told.complete("INSERT 0 " + client.update(insert()));
              } catch (SQLException e) {
                told.complete(SqlErrorText.of(e));
              }
            },
            "demo-crash-client");
    thread.setDaemon(true);
    thread.start();
    return told;
  }

  private void showSurplus() throws SQLException {
    narrator.chapter("Start the server again: what the crash left");
    cluster.shard(home).start();
    HeldCommit.remove(cluster, home);
    narrator.judge(rowsOnHome() == 0, "no row on " + home + ": its commit never came");
    long left = entries();
    narrator.say(
        left == 0
            ? "no entry on " + lookup + " either: the auditor was faster than this demo"
            : "one entry on " + lookup + " without its row: surplus, never the other way round");
  }

  private void showAnswers() throws SQLException {
    narrator.blank();
    narrator.say("answers are the same whether the surplus is still there or not:");
    answers(EMAIL, 0);
    answers(user.email(), 1);
  }

  /** The router's sessions with the killed server are gone: the first statement may say so. */
  private void answers(String email, int rows) throws SQLException {
    String sql = "SELECT tenant_id, name FROM users WHERE email = '" + email + "'";
    narrator.command(sql);
    int came = afterReconnect(sql);
    narrator.judge(came == rows, rows + (rows == 1 ? " row" : " rows"));
  }

  private int afterReconnect(String sql) throws SQLException {
    try {
      return router.query(sql).rowCount();
    } catch (SQLException lost) {
      if (!lost.getSQLState().startsWith("08") && !lost.getSQLState().startsWith("57")) {
        throw lost;
      }
      return router.query(sql).rowCount();
    }
  }

  private void awaitRepair() throws SQLException {
    narrator.chapter("The surplus entry is removed, on proof");
    long began = System.nanoTime();
    narrator.judge(await(() -> entries() == 0), "the entry is gone");
    narrator.say(
        String.format(
            Locale.ROOT,
            "%.1f s after the answers above: the router had noted the key as suspect, and the",
            (System.nanoTime() - began) / 1e9));
    narrator.say("auditor looked for its row under the key's lock before it deleted anything");
    narrator.command("./pgconcord gsi verify by_email");
    var report = admin.verify();
    narrator.judge(report.path("clean").asBoolean(), "every entry compared again:");
    narrator.block(ReportText.of(report).lines().toList());
  }

  private void tryAgain() throws SQLException {
    narrator.blank();
    narrator.say("the same INSERT again:");
    narrator.command(insert());
    narrator.judge(router.update(insert()) == 1, "INSERT 0 1");
    answers(EMAIL, 1);
  }

  private String insert() {
    return "INSERT INTO users (tenant_id, user_id, email, name) VALUES (%d, 4000000000, '%s', 'Crash')"
        .formatted(user.tenantId(), EMAIL);
  }

  private long entries() throws SQLException {
    try (Connection service = cluster.asService(lookup)) {
      return count(service, "SELECT count(*) FROM users_by_email WHERE email = ?");
    }
  }

  private long rowsOnHome() throws SQLException {
    try (Connection owner = cluster.asOwner(home)) {
      return count(owner, "SELECT count(*) FROM users WHERE email = ?");
    }
  }

  private static long count(Connection connection, String sql) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setString(1, EMAIL);
      try (ResultSet rows = statement.executeQuery()) {
        rows.next();
        return rows.getLong(1);
      }
    }
  }

  /** A question to a server. */
  private interface Question {
    boolean yes() throws SQLException;
  }

  private static boolean await(Question question) throws SQLException {
    long deadline = System.nanoTime() + LIMIT.toNanos();
    while (!question.yes()) {
      if (System.nanoTime() - deadline > 0) {
        return false;
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
    return true;
  }
}
