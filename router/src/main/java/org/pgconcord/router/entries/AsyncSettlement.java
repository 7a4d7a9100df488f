package org.pgconcord.router.entries;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.pgconcord.gsi.Outcome;
import org.pgconcord.gsi.Step;
import org.pgconcord.router.backend.BackendConnection;
import org.pgconcord.router.backend.BackendRole;
import org.pgconcord.router.wire.TransactionStatus;

/**
 * Runs one settlement on the session's event loop. Its owner sessions are the session's SERVICE
 * backends; its lookup session is the PRE backend, inside the session's PRE transaction for a claim
 * and by itself for an audit.
 */
final class AsyncSettlement {
  private final ServiceSessions sessions;
  private final Set<BackendConnection> owners = new HashSet<>();

  private AsyncSettlement(ServiceSessions sessions) {
    this.sessions = sessions;
  }

  /** Fails as its first failing statement does; no owner session keeps a lock then. */
  static CompletableFuture<Outcome> run(ServiceSessions sessions, Step first) {
    AsyncSettlement settlement = new AsyncSettlement(sessions);
    return settlement
        .step(first)
        .whenComplete(
            (outcome, failure) -> {
              if (failure != null) {
                settlement.letGo();
              }
            });
  }

  private CompletableFuture<Outcome> step(Step step) {
    if (step instanceof Step.Done done) {
      return CompletableFuture.completedFuture(done.outcome());
    }
    Step.Send send = (Step.Send) step;
    return session(send.command().place())
        .thenCompose(backend -> ServiceSessions.query(backend, send.command().statement()))
        .thenCompose(result -> step(send.then().answer(result.rows())));
  }

  private CompletableFuture<BackendConnection> session(Step.Place place) {
    if (place.session() == Step.Session.LOOKUP) {
      return sessions.acquire(place.shard(), BackendRole.PRE);
    }
    return sessions
        .acquire(place.shard(), BackendRole.SERVICE)
        .thenApply(
            backend -> {
              owners.add(backend);
              return backend;
            });
  }

  private void letGo() {
    for (BackendConnection backend : owners) {
      if (backend.busy() || backend.status() != TransactionStatus.IDLE) {
        backend.close();
      }
    }
  }
}
