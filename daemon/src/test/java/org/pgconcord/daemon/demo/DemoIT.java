package org.pgconcord.daemon.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pgconcord.testkit.cluster.FreePort;

/** The demo as people run it, in a process of its own. */
final class DemoIT {
  @TempDir private Path temporary = Path.of(".");

  @Test
  void everythingIsAsItShouldBe() throws Exception {
    Process demo = start("--exit", "--rows", "5000", "--shards", "3");
    boolean ended = demo.waitFor(8, TimeUnit.MINUTES);
    demo.destroyForcibly();
    String text = Files.readString(temporary.resolve("output"));
    assertThat(ended).as(text).isTrue();
    assertThat(demo.exitValue()).as(text).isZero();
    assertThat(text).contains("everything was as it should be");
    assertThat(temporary.resolve("demo")).doesNotExist();
  }

  private Process start(String... arguments) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx512m",
            "-cp",
            System.getProperty("java.class.path"),
            "org.pgconcord.daemon.Main",
            "demo",
            "--port",
            Integer.toString(FreePort.pick()),
            "--http-port",
            Integer.toString(FreePort.pick()),
            "--dir",
            temporary.resolve("demo").toString());
    builder.command().addAll(java.util.List.of(arguments));
    builder.redirectErrorStream(true).redirectOutput(temporary.resolve("output").toFile());
    return builder.start();
  }
}
