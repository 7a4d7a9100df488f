package org.pgconcord.router.auth;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Where the verifiers of clients' roles come from. */
public interface VerifierSource {
  /**
   * The role's verifier; empty when there is no such role, it may not log in, or it has no
   * SCRAM-SHA-256 verifier. Never blocks. Fails when the source cannot be asked.
   */
  CompletableFuture<Optional<ScramVerifier>> find(String role);

  /** This source, or {@code other} for a role when this one cannot be asked. */
  default VerifierSource orElse(VerifierSource other) {
    return role -> find(role).exceptionallyCompose(unreadable -> other.find(role));
  }
}
