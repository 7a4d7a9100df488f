package org.pgconcord.router.auth;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.pgconcord.config.error.ErrorCode;

/**
 * Verifiers from a file of lines {@code "role" "SCRAM-SHA-256$..."}; a quote inside is doubled,
 * empty lines and lines that begin with {@code #} or {@code ;} are comments. PgBouncer's form, but
 * without passwords in clear.
 */
public final class UsersFile implements VerifierSource {
  private static final Pattern LINE =
      Pattern.compile("\\s*\"((?:[^\"]|\"\")+)\"\\s+\"((?:[^\"]|\"\")*)\"\\s*");

  private final Map<String, ScramVerifier> verifiers;

  private UsersFile(Map<String, ScramVerifier> verifiers) {
    this.verifiers = Map.copyOf(verifiers);
  }

  /** Reads the file whole; a wrong line is a configuration error that names its number. */
  public static UsersFile read(Path file) {
    try {
      return parse(file.toString(), Files.readAllLines(file));
    } catch (IOException e) {
      throw ErrorCode.CONFIG_INVALID.because("users_file cannot be read: " + e).withCause(e);
    }
  }

  static UsersFile parse(String name, List<String> lines) {
    Map<String, ScramVerifier> verifiers = new HashMap<>();
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i).strip();
      if (!line.isEmpty() && line.charAt(0) != '#' && line.charAt(0) != ';') {
        add(verifiers, line, name + ":" + (i + 1));
      }
    }
    return new UsersFile(verifiers);
  }

  private static void add(Map<String, ScramVerifier> verifiers, String line, String where) {
    Matcher form = LINE.matcher(line);
    if (!form.matches()) {
      throw ErrorCode.CONFIG_INVALID.because(where + ": expected \"role\" \"SCRAM-SHA-256$...\"");
    }
    Optional<ScramVerifier> verifier = ScramVerifier.parse(form.group(2));
    if (verifier.isEmpty()) {
      throw ErrorCode.CONFIG_INVALID.because(where + ": the secret is no SCRAM-SHA-256 verifier");
    }
    if (verifiers.put(form.group(1).replace("\"\"", "\""), verifier.get()) != null) {
      throw ErrorCode.CONFIG_INVALID.because(where + ": the role is listed twice");
    }
  }

  @Override
  public CompletableFuture<Optional<ScramVerifier>> find(String role) {
    return CompletableFuture.completedFuture(Optional.ofNullable(verifiers.get(role)));
  }
}
