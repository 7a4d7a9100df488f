package org.pgconcord.router.backend;

import java.util.Optional;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;

/**
 * What a backend must never become, however it came about (a function, a role's default): another
 * encoding or another reading of string constants than the router's would let a shard execute
 * something else than what was analysed.
 */
final class SessionGuard {
  private SessionGuard() {}

  /** The reason to give the backend up, if the reported value is one. */
  static Optional<ConcordException> check(BackendTarget target, String name, String value) {
    boolean wrong =
        switch (name) {
          case "client_encoding" -> !value.equalsIgnoreCase("UTF8");
          case "standard_conforming_strings" -> !value.equals("on");
          default -> false;
        };
    return wrong
        ? Optional.of(
            ErrorCode.ENCODING_REFUSED.because(
                "Shard " + target.shard() + " reports " + name + " = " + value + "."))
        : Optional.empty();
  }
}
