package org.pgconcord.daemon.demo;

import com.fasterxml.jackson.databind.JsonNode;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.pgconcord.testkit.cluster.ShardCluster;
import org.pgconcord.testkit.cluster.sample.SampleUsers;

/**
 * The two writers of the demo: one through the router, one directly on the shards. They slow down
 * together where the machine does not follow, since an index whose streams fall behind for good is
 * rightly never enabled.
 */
final class Writers implements AutoCloseable {
  private static final double SECONDS_BEHIND = 3;
  private static final long NANOS_BETWEEN = Duration.ofSeconds(3).toNanos();

  private final Writer through;
  private final Writer behind;
  private long easedAt = System.nanoTime();

  private Writers(Writer through, Writer behind) {
    this.through = through;
    this.behind = behind;
  }

  static Writers start(DemoOptions options, ShardCluster cluster) throws SQLException {
    SampleUsers users = new SampleUsers(options.seed());
    return new Writers(
        Writer.start(
            "demo-router-writer",
            new RouterChanges(
                RouterClient.open(options.port()), users, new RowPool(users, options.rows(), 1))),
        Writer.start(
            "demo-direct-writer",
            new DirectChanges(cluster, users, new RowPool(users, options.rows(), 0))));
  }

  /** Slows down when a shard's stream is behind in a status document. */
  void heed(JsonNode status) {
    for (JsonNode shard : status.path("shards")) {
      if (shard.path("lag_seconds").asDouble() > SECONDS_BEHIND) {
        ease();
        return;
      }
    }
  }

  /** Halves the pace; not more often than the streams can show an effect. */
  void ease() {
    long now = System.nanoTime();
    if (now - easedAt >= NANOS_BETWEEN) {
      easedAt = now;
      through.ease();
      behind.ease();
    }
  }

  void tell(Narrator narrator) {
    tell(narrator, "the writer through the router made ", through.tally());
    tell(narrator, "the writer on the shards made ", behind.tally());
  }

  private static void tell(Narrator narrator, String who, WriterTally tally) {
    String failure = tally.failure().orElse("");
    narrator.judge(
        failure.isEmpty() && tally.changes() > 0,
        who + tally.words() + (failure.isEmpty() ? "" : "; " + failure));
  }

  @Override
  public void close() throws SQLException {
    for (Writer each : List.of(through, behind)) {
      each.close();
    }
  }
}
