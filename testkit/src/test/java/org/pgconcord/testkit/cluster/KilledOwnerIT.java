package org.pgconcord.testkit.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class KilledOwnerIT {
  /** Starts a cluster in the given directory, prints its postmaster's pid, and waits. */
  static final class Owner {
    public static void main(String[] arguments) throws Exception {
      ClusterSettings settings = ClusterSettings.of(1).withDirectory(Path.of(arguments[0]));
      ShardCluster cluster = ShardCluster.start(settings);
      System.out.println("pid " + cluster.shard("shard-a").pid());
      System.in.read();
      cluster.close();
    }
  }

  @Test
  void theNextStartEndsTheServersOfAProcessThatWasKilled(@TempDir Path temporary) throws Exception {
    ShardClusterIT.openToOthers(temporary);
    Path directory = temporary.resolve("shards");
    Process owner = start(directory);
    LinuxProcess postmaster = LinuxProcess.find(pid(owner)).orElseThrow();
    List<LinuxProcess> backends = ClusterDirectory.children(postmaster.pid());
    owner.destroyForcibly().waitFor();
    assertThat(postmaster.alive()).isTrue();

    try (ShardCluster cluster =
        ShardCluster.start(ClusterSettings.of(1).withDirectory(directory))) {
      assertThat(cluster.directory()).isEqualTo(directory);
      assertThat(postmaster.alive()).isFalse();
      assertThat(backends).isNotEmpty().noneMatch(LinuxProcess::alive);
    }
    try (var left = Files.list(temporary)) {
      assertThat(left).isEmpty();
    }
  }

  @Test
  void theEndOfTheProcessEndsItsServers(@TempDir Path temporary) throws Exception {
    ShardClusterIT.openToOthers(temporary);
    Path directory = temporary.resolve("shards");
    Process owner = start(directory);
    LinuxProcess postmaster = LinuxProcess.find(pid(owner)).orElseThrow();

    owner.destroy(); // SIGTERM
    owner.waitFor();

    assertThat(postmaster.alive()).isFalse();
    assertThat(directory).doesNotExist();
  }

  private static Process start(Path directory) throws Exception {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            System.getProperty("java.class.path"),
            Owner.class.getName(),
            directory.toString())
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  private static long pid(Process owner) throws Exception {
    BufferedReader lines =
        new BufferedReader(new InputStreamReader(owner.getInputStream(), StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      if (line.startsWith("pid ")) {
        return Long.parseLong(line.substring(4));
      }
    }
    throw new AssertionError("the owner ended early");
  }
}
