package org.pgconcord.daemon.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Which of the standard streams a person is looking at. */
public enum Terminal {
  INPUT(0),
  OUTPUT(1),
  ERRORS(2);

  private final int descriptor;

  Terminal(int descriptor) {
    this.descriptor = descriptor;
  }

  /** Asks the kernel: {@code System.console()} is there on newer JDKs even without a terminal. */
  public boolean present() {
    try {
      Path target = Files.readSymbolicLink(Path.of("/proc/self/fd", Integer.toString(descriptor)));
      return target.startsWith("/dev/pts") || target.toString().startsWith("/dev/tty");
    } catch (IOException e) {
      return false;
    }
  }
}
