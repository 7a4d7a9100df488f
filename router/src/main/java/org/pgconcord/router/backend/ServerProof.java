package org.pgconcord.router.backend;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.settings.KnownServers;
import org.pgconcord.config.settings.ServerIdentity;

/**
 * A backend's first words: which server it is, and whether that is the shard. Nothing else is sent
 * before it has answered, so that no other server ever runs anything for a client (decision 0029).
 */
final class ServerProof {
  /**
   * Needs no right that PUBLIC has not. Calls only, by their full names: a client's role may have a
   * search path, and operators in it. The timeline is that of the log that is written now, for the
   * control file tells of a promotion only after a checkpoint.
   */
  private static final String QUESTION =
      "SELECT s.system_identifier,"
          + " pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_insert_lsn()),"
          + " pg_catalog.current_setting('server_version_num')"
          + " FROM pg_catalog.pg_control_system() AS s";

  private static final int TIMELINE_DIGITS = 8;
  private static final int HEX = 16;

  private final KnownServers known;

  ServerProof(KnownServers known) {
    this.known = known;
  }

  /** Completes with what the server is; exceptionally when the backend must not be used. */
  CompletableFuture<ServerIdentity> of(NettyBackendConnection connection) {
    return connection
        .query(new BackendRequest.Query(QUESTION))
        .handle(
            (answer, failure) -> {
              if (answer == null) {
                throw unproven(connection, failure);
              }
              ServerIdentity server = read(answer.rows().get(0));
              known.admit(connection.shard(), server);
              return server;
            });
  }

  private static ConcordException unproven(
      NettyBackendConnection connection, @Nullable Throwable failure) {
    if (failure instanceof ConcordException lost) {
      return lost;
    }
    if (HostSearch.isBetween(failure)) {
      return ErrorCode.SHARD_CONNECTION_LOST.because(
          "The connection to shard " + connection.shard() + " ended.");
    }
    return ErrorCode.SHARD_UNPROVEN
        .because(
            "shard %s does not tell the role %s which server it is"
                .formatted(connection.shard(), connection.user()))
        .withDetail(String.valueOf(failure == null ? null : failure.getMessage()));
  }

  private static ServerIdentity read(List<@Nullable String> row) {
    return new ServerIdentity(
        Long.parseLong(String.valueOf(row.get(0))),
        Integer.parseUnsignedInt(String.valueOf(row.get(1)).substring(0, TIMELINE_DIGITS), HEX),
        Integer.parseInt(String.valueOf(row.get(2))));
  }
}
