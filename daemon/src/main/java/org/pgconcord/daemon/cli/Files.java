package org.pgconcord.daemon.cli;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.pgconcord.config.error.ErrorCode;

/** Reading the files that a command line names. */
final class Files {
  private Files() {}

  static String read(Path file) {
    try {
      return java.nio.file.Files.readString(file);
    } catch (NoSuchFileException e) {
      throw ErrorCode.CONFIG_INVALID.because("there is no file " + file).withCause(e);
    } catch (IOException e) {
      throw ErrorCode.CONFIG_INVALID.because("cannot read " + file + ": " + e).withCause(e);
    }
  }
}
