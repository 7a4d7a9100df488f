package org.pgconcord.router.exec;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.router.backend.BackendConnection;
import org.pgconcord.router.backend.ShardErrorException;
import org.pgconcord.router.plan.Plan;
import org.pgconcord.router.tx.Failures;
import org.pgconcord.router.wire.ErrorFields;
import org.pgconcord.router.wire.ParameterTypes;

/**
 * Tells a statement that the router cannot read from one that nobody can: a server parses it,
 * without running it, and if to the server too it is no statement, the client hears that in the
 * server's words, with the place.
 */
final class SyntaxCheck {
  private static final String SYNTAX_ERROR = "42601";
  private static final Set<ErrorCode> DOUBTFUL =
      Set.of(ErrorCode.SQL_UNREADABLE, ErrorCode.SQL_COMMAND, ErrorCode.SQL_SYNTAX);

  private SyntaxCheck() {}

  static boolean isFor(Plan.Refused refused) {
    return DOUBTFUL.contains(refused.code());
  }

  /** The error to tell: the server's if it is one of syntax, else the refusal. */
  static CompletableFuture<ErrorFields> of(
      BackendConnection backend, String sql, ParameterTypes types, Plan.Refused refused) {
    ErrorFields own = Failures.fields(refused.toException());
    return DescribedStatement.ask(backend, sql, types)
        .handle(
            (described, failure) ->
                failure instanceof ShardErrorException shard
                        && shard.fields().sqlState().equals(SYNTAX_ERROR)
                    ? shard.fields()
                    : own);
  }
}
