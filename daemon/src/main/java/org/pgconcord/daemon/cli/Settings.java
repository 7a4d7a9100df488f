package org.pgconcord.daemon.cli;

import java.nio.file.Path;
import java.util.Map;
import org.pgconcord.config.settings.DaemonSettings;
import org.pgconcord.config.settings.Overrides;
import org.pgconcord.config.settings.SettingsReader;

/** Reading the daemon's configuration file for a command. */
final class Settings {
  private Settings() {}

  /**
   * @param flags settings given on the command line, by their dotted key
   */
  static DaemonSettings read(Path file, Map<String, String> flags) {
    Path directory = file.toAbsolutePath().getParent();
    return SettingsReader.read(
        Files.read(file),
        directory == null ? Path.of("/") : directory,
        new Overrides(flags, System.getenv()));
  }
}
