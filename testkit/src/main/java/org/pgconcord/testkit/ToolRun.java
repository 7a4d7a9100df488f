package org.pgconcord.testkit;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A finished run of an outside program.
 *
 * @param exitCode what the program returned
 */
public record ToolRun(int exitCode, String output, String errors) {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  /** Runs {@code command} with {@code input} on its standard input; fails after 60 s. */
  public static ToolRun of(List<String> command, Map<String, String> environment, String input) {
    try {
      Path output = Files.createTempFile("tool-output", "");
      Path errors = Files.createTempFile("tool-errors", "");
      try {
        ProcessBuilder builder =
            new ProcessBuilder(command)
                .redirectOutput(output.toFile())
                .redirectError(errors.toFile());
        builder.environment().putAll(environment);
        int exitCode = exitCode(builder.start(), input, command);
        return new ToolRun(exitCode, Files.readString(output), Files.readString(errors));
      } finally {
        Files.delete(output);
        Files.delete(errors);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static int exitCode(Process process, String input, List<String> command)
      throws IOException {
    try (OutputStream standardInput = process.getOutputStream()) {
      standardInput.write(input.getBytes(StandardCharsets.UTF_8));
    }
    try {
      if (!process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)) {
        throw new AssertionError("no end within " + LIMIT.toSeconds() + " s: " + command);
      }
      return process.exitValue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    } finally {
      process.destroyForcibly();
    }
  }
}
