package org.pgconcord.config.settings;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.settings.DaemonSettings.ServiceRole;

/**
 * Finds the service role's password: {@code PGCONCORD_SERVICE_ROLE_PASSWORD}, else the configured
 * file, else .pgpass ({@code PGPASSFILE} names another one). Files are read at each use, so that a
 * changed password needs no restart, and nothing is kept.
 */
public final class ServicePassword {
  private final ServiceRole role;
  private final Map<String, String> environment;

  public ServicePassword(ServiceRole role, Map<String, String> environment) {
    this.role = role;
    this.environment = Map.copyOf(environment);
  }

  /**
   * The password for one server and database; empty when none is configured (trust, peer).
   *
   * @throws org.pgconcord.config.error.ConcordException ({@code config/invalid}) when the
   *     configured file cannot be read
   */
  public Optional<String> find(ShardAddress address, String database) {
    String fromEnvironment = environment.get(Overrides.variable("service_role.password"));
    if (fromEnvironment != null) {
      return Optional.of(fromEnvironment);
    }
    if (role.passwordFile().isPresent()) {
      return lines(role.passwordFile().get()).stream().findFirst();
    }
    Path passFile = passFile();
    return Files.isReadable(passFile)
        ? PasswordFile.find(lines(passFile), address, database, role.user())
        : Optional.empty();
  }

  private Path passFile() {
    String named = environment.get("PGPASSFILE");
    return named != null ? Path.of(named) : Path.of(System.getProperty("user.home"), ".pgpass");
  }

  private static List<String> lines(Path file) {
    try {
      return Files.readAllLines(file);
    } catch (IOException e) {
      throw ErrorCode.CONFIG_INVALID
          .because("the password file " + file + " cannot be read")
          .withDetail(e.getClass().getSimpleName());
    }
  }

  /** Without the secret. */
  @Override
  public String toString() {
    return "ServicePassword[" + role.user() + "]";
  }
}
