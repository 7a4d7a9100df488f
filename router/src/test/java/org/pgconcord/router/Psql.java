package org.pgconcord.router;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;

/** The machine's psql. Without one its tests are skipped; under CI they fail. */
public final class Psql {
  private static final Path PROGRAM = Path.of("/usr/bin/psql");

  private Psql() {}

  public static void require() {
    boolean there = Files.isExecutable(PROGRAM);
    if (!there && "true".equals(System.getenv("CI"))) {
      throw new AssertionError("psql is not installed, and CI=true");
    }
    Assumptions.assumeTrue(there, "psql is not installed: its tests are skipped");
  }

  /** What psql prints on both outputs, errors verbosely, rows unaligned. */
  public static String run(int port, String user, String password, String... arguments)
      throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(List.of(PROGRAM.toString(), "-X", "-At", "-v", "VERBOSITY=verbose"));
    command.addAll(List.of("-h", "127.0.0.1", "-p", "" + port, "-U", user, "-d", "app"));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().putAll(Map.of("PGPASSWORD", password, "PGCONNECT_TIMEOUT", "20"));
    Process process = builder.start();
    process.getOutputStream().close();
    String output =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    process.waitFor();
    return output;
  }
}
