package org.pgconcord.daemon.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;

/** The memory that this process has taken from the machine. Source: proc(5), {@code VmHWM}. */
final class ResidentSet {
  private ResidentSet() {}

  /** The largest resident set so far, in MiB. */
  static OptionalLong peakMebibytes() {
    try {
      return Files.readAllLines(Path.of("/proc/self/status")).stream()
          .filter(line -> line.startsWith("VmHWM:"))
          .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) / 1024)
          .findFirst();
    } catch (IOException e) {
      return OptionalLong.empty();
    }
  }
}
