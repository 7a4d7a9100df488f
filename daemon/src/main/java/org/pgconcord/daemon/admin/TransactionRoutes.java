package org.pgconcord.daemon.admin;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.pgconcord.config.atomic.Decision;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.daemon.transactions.TransactionOperations;

/** {@code tx list|resolve}. */
public final class TransactionRoutes {
  private final TransactionOperations operations;

  public TransactionRoutes(TransactionOperations operations) {
    this.operations = operations;
  }

  public List<Route> routes() {
    return List.of(
        new Route("GET", "/api/v1/transactions", request -> Answer.json(operations.list())),
        new Route(
            "POST",
            "/api/v1/transactions/{id}/resolve",
            request ->
                Answer.json(
                    operations.resolve(
                        request.argument("id"),
                        request.optionalText("decision").map(TransactionRoutes::decision)))));
  }

  private static Decision decision(String word) {
    return Optional.of(word)
        .filter(w -> w.equals("commit") || w.equals("abort"))
        .map(w -> Decision.valueOf(w.toUpperCase(Locale.ROOT)))
        .orElseThrow(
            () -> ErrorCode.ADMIN_REQUEST_INVALID.because("decision is neither commit nor abort"));
  }
}
