package org.pgconcord.daemon.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pgconcord.daemon.process.DaemonClasses;
import org.pgconcord.testkit.cluster.FreePort;

/** The demo as people run it, in a process of its own. */
final class DemoIT {
  @TempDir private Path temporary = Path.of(".");

  /** Where the servers have to run as another user they must be able to enter. */
  @BeforeEach
  void openToOthers() throws IOException {
    Files.setPosixFilePermissions(temporary, PosixFilePermissions.fromString("rwx--x--x"));
  }

  @Test
  void everythingIsAsItShouldBe() throws Exception {
    Process demo = start("--exit", "--rows", "5000", "--shards", "3");
    boolean ended = demo.waitFor(8, TimeUnit.MINUTES);
    demo.destroyForcibly();
    assertThat(ended).as(output()).isTrue();
    assertThat(demo.exitValue()).as(output()).isZero();
    assertThat(output()).contains("everything was as it should be");
    assertThat(directory()).doesNotExist();
  }

  @Test
  void tenReadsAreShownWithTheirRoutes() throws Exception {
    Process demo = start("--tour", "reads", "--exit", "--rows", "1000");
    boolean ended = demo.waitFor(8, TimeUnit.MINUTES);
    demo.destroyForcibly();
    assertThat(ended).as(output()).isTrue();
    assertThat(demo.exitValue()).as(output()).isZero();
    assertThat(output().split("Actual: SELECT ", -1)).hasSize(11);
    assertThat(output()).contains("Why: no equality on the column of index app.by_email");
  }

  @Test
  void aServerIsKilledBetweenTwoCommitsAndNothingIsWrong() throws Exception {
    Process demo = start("--tour", "crash", "--exit", "--rows", "1000");
    boolean ended = demo.waitFor(8, TimeUnit.MINUTES);
    demo.destroyForcibly();
    assertThat(ended).as(output()).isTrue();
    assertThat(demo.exitValue()).as(output()).isZero();
    assertThat(output()).contains("tx/outcome-unknown").contains("the entry is gone");
  }

  /** How long one part may keep the others waiting then is EndingTest's. */
  @Test
  void afterAKillTheNextDemoCleansUpAndASignalEndsIt() throws Exception {
    Process killed = start("--rows", "1000");
    awaitOutput("open the router");
    killed.destroyForcibly().waitFor();
    assertThat(directory()).isDirectory();

    Process demo = start("--rows", "1000");
    awaitOutput("phase=");
    assertThat(output()).contains("an earlier run was killed");
    demo.destroy(); // SIGTERM
    assertThat(demo.waitFor(1, TimeUnit.MINUTES)).as(output()).isTrue();
    assertThat(directory()).doesNotExist();
    assertThat(servers()).isEmpty();
  }

  @Test
  void aTakenPortIsAnErrorThatNamesTheFlag() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Process demo = start("--http-port", Integer.toString(taken.getLocalPort()));
      assertThat(demo.waitFor(1, TimeUnit.MINUTES)).isTrue();
      assertThat(demo.exitValue()).isEqualTo(1);
      assertThat(output()).contains("--http-port").contains("demo/port-taken");
      assertThat(directory()).doesNotExist();
    }
  }

  private Process start(String... arguments) throws IOException {
    List<String> command = new ArrayList<>(DaemonClasses.find().java());
    command.addAll(List.of("org.pgconcord.daemon.Main", "demo"));
    command.addAll(List.of("--dir", directory().toString()));
    List<String> given = List.of(arguments);
    command.addAll(given);
    for (String port : List.of("--port", "--http-port")) {
      if (!given.contains(port)) {
        command.addAll(List.of(port, Integer.toString(FreePort.pick())));
      }
    }
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(temporary.resolve("output").toFile())
        .start();
  }

  private void awaitOutput(String text) {
    await().atMost(Duration.ofMinutes(3)).until(() -> output().contains(text));
  }

  private String output() throws IOException {
    return Files.readString(temporary.resolve("output"));
  }

  private Path directory() {
    return temporary.resolve("demo");
  }

  /** Servers that still have their data in the demo's directory. */
  private List<Long> servers() {
    return ProcessHandle.allProcesses()
        .filter(
            process ->
                process
                    .info()
                    .commandLine()
                    .filter(line -> line.contains(directory().toString()))
                    .isPresent())
        .map(ProcessHandle::pid)
        .toList();
  }
}
