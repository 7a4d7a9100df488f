package org.pgconcord.router.session;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.pgconcord.config.topology.Topology;
import org.pgconcord.router.auth.BackendSecret;
import org.pgconcord.router.auth.VerifierSource;
import org.pgconcord.router.backend.BackendConnector;

/**
 * What all sessions of a router share.
 *
 * @param verifiers empty under trust
 * @param serviceUser the role of service backends
 */
public record SessionServices(
    Limits limits,
    Supplier<Topology> topology,
    BackendConnector connector,
    Optional<VerifierSource> verifiers,
    String serviceUser,
    BackendSecret serviceSecret,
    StatementRunner.Factory runners,
    Sessions sessions,
    SessionMetrics metrics,
    SecureRandom random) {

  /**
   * @param connections clients at most, those that are logging in included
   * @param messageBytes a client's message at most
   */
  public record Limits(int connections, int messageBytes, Duration login) {}
}
