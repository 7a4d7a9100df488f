package org.pgconcord.router.backend;

import io.netty.channel.EventLoop;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.topology.Topology;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.auth.BackendSecret;
import org.pgconcord.router.auth.ScramVerifier;
import org.pgconcord.router.auth.VerifierSource;

/**
 * Verifiers from {@code pg_authid} of the authoritative shard, read by the service role (which
 * needs SELECT on it) over one connection of its own with an empty search path. A role that may not
 * log in, or whose password has expired, has none.
 */
public final class ShardVerifiers implements VerifierSource {
  private static final String SQL =
      "SELECT a.rolpassword FROM pg_catalog.pg_authid a WHERE a.rolname OPERATOR(pg_catalog.=)"
          + " $1 AND a.rolcanlogin AND (a.rolvaliduntil IS NULL OR a.rolvaliduntil"
          + " OPERATOR(pg_catalog.>) pg_catalog.now())";

  private final EventLoop loop;
  private final BackendConnector connector;
  private final Supplier<Topology> topology;
  private final String user;
  private final BackendSecret secret;
  private @Nullable CompletableFuture<NettyBackendConnection> connection;

  /** {@code loop} carries the connection; the fields are used on it alone. */
  public ShardVerifiers(
      EventLoop loop,
      BackendConnector connector,
      Supplier<Topology> topology,
      String user,
      BackendSecret secret) {
    this.loop = loop;
    this.connector = connector;
    this.topology = topology;
    this.user = user;
    this.secret = secret;
  }

  @Override
  public CompletableFuture<Optional<ScramVerifier>> find(String role) {
    return CompletableFuture.completedFuture(role)
        .thenComposeAsync(asked -> connection(), loop)
        .thenComposeAsync(open -> open.query(SQL, List.of(role)), loop)
        .thenApply(ShardVerifiers::verifier);
  }

  private static Optional<ScramVerifier> verifier(QueryResult result) {
    if (result.rows().isEmpty()) {
      return Optional.empty();
    }
    String text = result.rows().get(0).get(0);
    return text == null ? Optional.empty() : ScramVerifier.parse(text);
  }

  private CompletableFuture<NettyBackendConnection> connection() {
    CompletableFuture<NettyBackendConnection> current = connection;
    boolean usable =
        current != null
            && (!current.isDone()
                || (!current.isCompletedExceptionally() && current.join().open()));
    if (current != null && usable) {
      return current;
    }
    Topology now = topology.get();
    ShardId home = now.authoritativeShard();
    String database = now.databases().keySet().stream().sorted().findFirst().orElse("postgres");
    BackendTarget target =
        new BackendTarget(
            home,
            BackendRole.SERVICE,
            database,
            user,
            secret,
            Map.of("application_name", "pgconcord", "search_path", ""));
    CompletableFuture<NettyBackendConnection> opening =
        connector.open(loop, target, BackendEvents.NONE);
    connection = opening;
    return opening;
  }
}
