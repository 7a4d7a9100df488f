package org.pgconcord.daemon.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Eight writers insert through the router while the index goes up and down; each reads its own row
 * by email right after the acknowledgement. Not one read may miss, in whatever state it falls.
 */
class CutoverIT {
  @Test
  void fiveCutovers() throws Exception {
    run(Suite.begin("cutover", 5));
  }

  @Test
  @Tag("long")
  void fiftyCutovers() throws Exception {
    run(Suite.begin("cutover", 50));
  }

  private static void run(Suite suite) throws Exception {
    try (SampleSystem system = SampleSystem.start(1_000, suite.seed());
        DaemonProcess daemon = system.startDaemon()) {
      Gsi gsi = new Gsi(daemon);
      gsi.build();
      try (Writers writers = new Writers(10_000_000).throughRouter(system, 8, suite.seed())) {
        long whileEnabling = 0;
        long whileEnabled = 0;
        long whileDisabling = 0;
        for (int i = 0; i < suite.count(); i++) {
          long before = writers.reads();
          assertThat(gsi.verifyAndEnable().path("state").asText()).isEqualTo("enabled");
          long enabled = writers.reads();
          assertThat(gsi.verify().path("clean").asBoolean()).isTrue();
          long verified = writers.reads();
          assertThat(gsi.disable().path("state").asText()).isEqualTo("tailing");
          whileEnabling += enabled - before;
          whileEnabled += verified - enabled;
          whileDisabling += writers.reads() - verified;
        }
        writers.stop();
        assertThat(whileEnabling).as("reads while it went up").isPositive();
        assertThat(whileEnabled).as("reads while it was up").isPositive();
        assertThat(whileDisabling).as("reads while it went down").isPositive();
        System.out.println(
            "cutover changes=" + writers.changes() + " reads=" + writers.reads() + " misses=0");
      }
      system.checker().awaitNone(Duration.ofSeconds(30));
    }
  }
}
