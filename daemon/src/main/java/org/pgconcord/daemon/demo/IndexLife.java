package org.pgconcord.daemon.demo;

import com.fasterxml.jackson.databind.JsonNode;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.daemon.cli.ReportText;
import org.pgconcord.testkit.cluster.ShardCluster;

/** Chapters: the index is built, verified and enabled while two writers change rows. */
final class IndexLife {
  private static final Duration GATE_LIMIT = Duration.ofSeconds(90);
  private static final long POLL_NANOS = Duration.ofMillis(400).toNanos();

  private final DemoOptions options;
  private final Narrator narrator;
  private final ShardCluster cluster;
  private final AdminApi admin;

  IndexLife(DemoOptions options, Narrator narrator, ShardCluster cluster, AdminApi admin) {
    this.options = options;
    this.narrator = narrator;
    this.cluster = cluster;
    this.admin = admin;
  }

  void run(Ending ending) throws SQLException {
    narrator.chapter("Build the index by_email while two writers change rows");
    narrator.say(
        "one writes through the router, the other directly on the shards, behind its back");
    Writers writers = ending.add(Writers.start(options, cluster));
    try {
      build(writers);
      enable(writers);
    } finally {
      writers.close();
    }
    writers.tell(narrator);
  }

  private void build(Writers writers) {
    narrator.command("./pgconcord gsi build by_email");
    JsonNode build = admin.startBuild();
    while (build.path("running").asBoolean()) {
      narrator.live(LiveText.of(build));
      writers.heed(build.path("status"));
      LockSupport.parkNanos(POLL_NANOS);
      build = admin.build();
    }
    boolean failed = build.hasNonNull("error");
    narrator.judge(
        !failed,
        failed
            ? "the build failed: " + build.path("error").path("message").asText()
            : "built; the state is " + build.path("status").path("state").asText());
  }

  private void enable(Writers writers) {
    narrator.chapter("Verify it and switch it on");
    narrator.command("./pgconcord gsi verify by_email");
    JsonNode report = admin.verify();
    narrator.judge(
        report.path("clean").asBoolean(), "every expected entry compared with every actual one:");
    narrator.block(lines(ReportText.of(report)));
    narrator.command("./pgconcord gsi enable by_email");
    String state = enabled(writers).path("state").asText();
    narrator.judge(state.equals("enabled"), "by_email went through write_only and is now " + state);
  }

  /** The gate wants streams that are close behind: on a busy machine that takes a moment. */
  private JsonNode enabled(Writers writers) {
    long deadline = System.nanoTime() + GATE_LIMIT.toNanos();
    while (true) {
      try {
        return admin.enable();
      } catch (ConcordException refused) {
        if (refused.code() != ErrorCode.GATE_REFUSED || System.nanoTime() - deadline > 0) {
          throw refused;
        }
        narrator.live(
            "not yet: " + String.valueOf(refused.detail()).lines().findFirst().orElse(""));
        writers.ease();
        LockSupport.parkNanos(POLL_NANOS);
      }
    }
  }

  private static List<String> lines(String text) {
    return text.lines().toList();
  }
}
