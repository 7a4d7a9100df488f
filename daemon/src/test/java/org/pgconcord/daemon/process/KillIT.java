package org.pgconcord.daemon.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.testkit.cluster.sample.SampleTopology;

/** SIGKILL to the daemon at any time; the next one continues to a clean verification. */
class KillIT {
  private static final Duration SETTLED = Duration.ofSeconds(60);

  /** One system for all: the build that is let be tells how long one takes here. */
  @Test
  void aLargeCopyDuringTheTailThenAKillOfABuild() throws Exception {
    Suite suite = Suite.begin("kill build", 1);
    try (SampleSystem system = SampleSystem.start(20_000, suite.seed())) {
      long nanos = aLargeCopyDuringTheTailWithAKillInTheMiddle(system, new Random(suite.seed()));
      killBuilds(system, suite, nanos);
    }
  }

  @Test
  @Tag("long")
  void fiftyKillsOfABuild() throws Exception {
    Suite suite = Suite.begin("kill build", 50);
    try (SampleSystem system = SampleSystem.start(20_000, suite.seed())) {
      killBuilds(system, suite, undisturbed(system));
    }
  }

  /** The moments are spread over the time that a build takes here. */
  private static void killBuilds(SampleSystem system, Suite suite, long nanos) throws Exception {
    Random random = new Random(suite.seed());
    for (int i = 0; i < suite.count(); i++) {
      system.forget();
      long moment = (long) (random.nextDouble() * nanos);
      try (Writers writers =
          new Writers(10_000_000L * (i + 2)).onShards(system.cluster(), 1, suite.seed() + i)) {
        try (DaemonProcess daemon = system.startDaemon()) {
          new Gsi(daemon).startBuild();
          LockSupport.parkNanos(moment);
          daemon.kill();
        }
        String what = "killed " + TimeUnit.NANOSECONDS.toMillis(moment) + " ms into build " + i;
        try (DaemonProcess daemon = system.startDaemon()) {
          finish(daemon, what);
          writers.stop();
          system.checker().awaitNone(SETTLED);
        }
      }
    }
  }

  private static long undisturbed(SampleSystem system) throws Exception {
    try (DaemonProcess daemon = system.startDaemon()) {
      return build(daemon);
    }
  }

  /** How long it took. */
  private static long build(DaemonProcess daemon) throws Exception {
    long begin = System.nanoTime();
    new Gsi(daemon).build();
    return System.nanoTime() - begin;
  }

  /** A new daemon, which goes on by itself or, where nothing was stored yet, is told to. */
  private static void finish(SampleSystem system, String what) throws Exception {
    try (DaemonProcess daemon = system.startDaemon()) {
      finish(daemon, what);
      daemon.terminate(Duration.ofSeconds(30));
    }
  }

  private static void finish(DaemonProcess daemon, String what) throws Exception {
    Gsi gsi = new Gsi(daemon);
    gsi.awaitIdle();
    if (gsi.state().equals("declared")) {
      gsi.build();
    }
    assertThat(gsi.verify().path("clean").asBoolean()).as(what).isTrue();
  }

  /** How long the build before it took. */
  private static long aLargeCopyDuringTheTailWithAKillInTheMiddle(
      SampleSystem system, Random random) throws Exception {
    long nanos;
    try (DaemonProcess daemon = system.startDaemon()) {
      nanos = build(daemon);
      copyTenThousand(system);
      LockSupport.parkNanos(random.nextInt(1_000_000_000));
      daemon.kill();
    }
    finish(system, "COPY of 10,000 rows");
    assertThat(system.checker().ownerRows()).isEqualTo(30_000);
    system.checker().awaitNone(SETTLED);
    return nanos;
  }

  private static void copyTenThousand(SampleSystem system) throws Exception {
    ShardId shard = system.cluster().shards().get(1);
    long tenant = 1;
    while (!SampleTopology.locator(system.cluster().shards())
        .locate(Long.toString(tenant))
        .equals(shard)) {
      tenant++;
    }
    StringBuilder rows = new StringBuilder();
    for (int i = 0; i < 10_000; i++) {
      rows.append(tenant)
          .append('\t')
          .append(7_000_000 + i)
          .append("\tcopy")
          .append(i)
          .append("@copy.example\tc\n");
    }
    try (Connection owner = system.cluster().asOwner(shard)) {
      owner
          .unwrap(org.postgresql.PGConnection.class)
          .getCopyAPI()
          .copyIn(
              "COPY users (tenant_id, user_id, email, name) FROM STDIN",
              new java.io.StringReader(rows.toString()));
    }
  }

  /** RocksDB holds what costs time to rebuild; losing it in any phase costs just that. */
  @Test
  void theStateDirectoryIsDeletedInEveryPhase() throws Exception {
    Suite suite = Suite.begin("state deleted", 3);
    try (SampleSystem system = SampleSystem.start(20_000, suite.seed())) {
      try (DaemonProcess daemon = system.startDaemon()) {
        new Gsi(daemon).startBuild();
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(700));
        daemon.kill();
      }
      system.deleteState();
      finish(system, "while filling");
      write(system, 1);

      system.deleteState();
      try (DaemonProcess daemon = system.startDaemon()) {
        finish(daemon, "while tailing");
        write(system, 2);
        assertThat(new Gsi(daemon).verifyAndEnable().path("state").asText()).isEqualTo("enabled");
        write(system, 3);
        daemon.kill();
      }
      system.deleteState();
      try (DaemonProcess daemon = system.startDaemon()) {
        finish(daemon, "while enabled");
        write(system, 4);
        assertThat(new Gsi(daemon).state()).isEqualTo("enabled");
        system.checker().awaitNone(SETTLED);
      }
    }
  }

  private static void write(SampleSystem system, int round) throws Exception {
    ShardId shard = system.cluster().shards().get(0);
    try (Connection owner = system.cluster().asOwner(shard);
        Statement statement = owner.createStatement()) {
      statement.executeUpdate("DELETE FROM users WHERE ctid IN (SELECT ctid FROM users LIMIT 10)");
      statement.executeUpdate(
          "UPDATE users SET email = email || '."
              + round
              + "' WHERE ctid IN (SELECT ctid FROM users LIMIT 10)");
    }
  }
}
