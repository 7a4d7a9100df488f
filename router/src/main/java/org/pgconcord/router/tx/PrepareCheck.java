package org.pgconcord.router.tx;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.Identifiers;
import org.pgconcord.router.backend.BackendConnection;
import org.pgconcord.router.backend.QueryResult;

/**
 * Whether a backend's transaction may be prepared. What a crash would leave there must be possible
 * to end: so the server takes prepared transactions, and the service role can become the role that
 * prepares.
 */
final class PrepareCheck {
  /** The right to SET ROLE is apart from membership since PostgreSQL 16. */
  private static final String ABOUT =
      """
      SELECT current_user::pg_catalog.text,
             pg_catalog.current_setting('max_prepared_transactions'),
             pg_catalog.pg_has_role($1::pg_catalog.name, current_user,
               CASE WHEN pg_catalog.current_setting('server_version_num')::pg_catalog.int4
                         OPERATOR(pg_catalog.<) 160000
                    THEN 'MEMBER' ELSE 'SET' END)
      """;

  private PrepareCheck() {}

  /** The role that will prepare; fails with {@code tx/atomic-refused}. */
  static CompletableFuture<String> role(BackendConnection backend, String serviceRole) {
    return backend
        .query(ABOUT, List.of(serviceRole))
        .thenApply(result -> role(backend, serviceRole, result));
  }

  private static String role(BackendConnection backend, String serviceRole, QueryResult result) {
    List<@Nullable String> row = result.rows().get(0);
    String role = String.valueOf(row.get(0));
    if ("0".equals(row.get(1))) {
      throw ErrorCode.TX_ATOMIC_REFUSED
          .because("shard " + backend.shard() + " takes no prepared transactions")
          .withDetail("max_prepared_transactions is 0 there.");
    }
    if (!"t".equals(row.get(2))) {
      throw ErrorCode.TX_ATOMIC_REFUSED
          .because(
              "role %s cannot end prepared transactions of role %s on shard %s"
                  .formatted(serviceRole, role, backend.shard()))
          .withDetail(
              "It must be able to SET ROLE %s; GRANT it that membership."
                  .formatted(Identifiers.quote(role)));
    }
    return role;
  }
}
