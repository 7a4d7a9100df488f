package org.pgconcord.daemon.process;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.pgconcord.daemon.cli.AdminClient;
import org.pgconcord.testkit.cluster.FreePort;

/** The daemon as a process: starts, is alone, ends in time, comes back after a SIGKILL. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ServeIT {
  private static final Duration END = Duration.ofSeconds(10);

  private SampleSystem system;

  @BeforeAll
  void startShards() throws Exception {
    system = SampleSystem.start(100, 1);
  }

  @AfterAll
  void stopShards() {
    system.close();
  }

  @Test
  void startsAppliesTheFileAndEndsOnSigterm() throws Exception {
    try (DaemonProcess daemon = system.startDaemon()) {
      JsonNode topology = daemon.client().get("/topology");
      assertThat(topology.path("revision").asLong()).isPositive();
      assertThat(topology.path("gsis").get(0).path("gsi").asText()).isEqualTo("app.by_email");
      assertThat(topology.path("gsis").get(0).path("wish").asBoolean()).isFalse();
      assertThat(daemon.status("/livez")).isEqualTo(200);
      assertThat(daemon.terminate(END)).isLessThan(END);
    }
  }

  @Test
  void aSecondDaemonIsRefusedWithExit4() throws Exception {
    try (DaemonProcess first = system.startDaemon();
        DaemonProcess second =
            system.launchDaemon("--admin.listen", "127.0.0.1:" + FreePort.pick())) {
      assertThat(second.awaitExit(Duration.ofSeconds(30))).isEqualTo(4);
      assertThat(first.log()).contains("daemon/already-running");
      assertThat(first.isAlive()).isTrue();
    }
  }

  @Test
  void aTakenAddressIsFoundBeforeAnythingBegins() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String address = "127.0.0.1:" + taken.getLocalPort();
      for (String setting : List.of("router.listen", "admin.listen")) {
        Path log = Files.createTempFile("pgconcord-taken-", ".log");
        try (DaemonProcess daemon =
            DaemonProcess.launch(
                system.configFile(), system.adminPort(), log, List.of("--" + setting, address))) {
          assertThat(daemon.awaitExit(Duration.ofSeconds(30))).isEqualTo(1);
          assertThat(daemon.log())
              .contains(address, "--" + setting, "config/address-taken")
              .doesNotContain("interrupted", "gsi operation", "tail serves");
        } finally {
          Files.delete(log);
        }
      }
    }
  }

  @Test
  void comesBackAfterSigkillAndKeepsToTheCatalog() throws Exception {
    try (DaemonProcess daemon = system.startDaemon()) {
      daemon.kill();
    }
    String file = Files.readString(system.topologyFile());
    Files.writeString(
        system.topologyFile(), file.replace("\"ignore_null\": false", "\"ignore_null\": true"));
    try (DaemonProcess daemon = system.startDaemon()) {
      AdminClient client = daemon.client();
      assertThat(client.get("/topology").path("document").toString())
          .contains("\"ignore_null\":false");
      assertThat(daemon.log()).contains("topology file differs from the applied one");
    } finally {
      Files.writeString(system.topologyFile(), file);
    }
  }
}
