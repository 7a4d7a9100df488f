package org.pgconcord.router.entries;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.pgconcord.config.value.Tuple;
import org.pgconcord.gsi.Entry;
import org.pgconcord.gsi.EntrySql;
import org.pgconcord.gsi.LookupIndex;
import org.pgconcord.gsi.Outcome;
import org.pgconcord.gsi.Settlement;
import org.pgconcord.gsi.Step;
import org.pgconcord.router.backend.BackendConnection;
import org.pgconcord.router.backend.BackendRole;
import org.pgconcord.router.wire.TransactionStatus;

/**
 * Runs one settlement on the session's event loop. Its owner sessions are the session's SERVICE
 * backends; its lookup session is given: the PRE backend, inside the session's PRE transaction for
 * a claim and by itself for an audit.
 */
final class AsyncSettlement {
  private final ServiceSessions sessions;
  private final BackendConnection lookup;
  private final Set<BackendConnection> own = new HashSet<>();

  private AsyncSettlement(ServiceSessions sessions, BackendConnection lookup) {
    this.sessions = sessions;
    this.lookup = lookup;
  }

  /** A claim inside the PRE transaction that is open on {@code pre}. */
  static CompletableFuture<Outcome> claim(
      ServiceSessions sessions,
      BackendConnection pre,
      LookupIndex index,
      Entry entry,
      EntrySql sql) {
    return new AsyncSettlement(sessions, pre).run(Settlement.claim(index, entry, sql));
  }

  /** An audit of an identity's entry, in transactions of its own. */
  static CompletableFuture<Outcome> audit(
      ServiceSessions sessions, BackendConnection lookup, LookupIndex index, Tuple identity) {
    return audit(sessions, lookup, Settlement.audit(index, identity, null));
  }

  /** The same for a row that was seen: it gets its entry. */
  static CompletableFuture<Outcome> repair(
      ServiceSessions sessions, BackendConnection lookup, LookupIndex index, Entry entry) {
    return audit(sessions, lookup, Settlement.audit(index, entry.identity(), entry.holder()));
  }

  private static CompletableFuture<Outcome> audit(
      ServiceSessions sessions, BackendConnection lookup, Step first) {
    AsyncSettlement settlement = new AsyncSettlement(sessions, lookup);
    settlement.own.add(lookup);
    return settlement.run(first);
  }

  /** Whether the owner row of an entry that {@code holder} has locked is there. */
  static CompletableFuture<Outcome> living(
      ServiceSessions sessions, BackendConnection holder, LookupIndex index, Entry entry) {
    return new AsyncSettlement(sessions, holder).run(Settlement.living(index, entry));
  }

  /** Fails as its first failing statement does; no session of its own keeps a lock then. */
  private CompletableFuture<Outcome> run(Step first) {
    return step(first)
        .whenComplete(
            (outcome, failure) -> {
              if (failure != null) {
                letGo();
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
      return CompletableFuture.completedFuture(lookup);
    }
    return sessions
        .acquire(place.shard(), BackendRole.SERVICE)
        .thenApply(
            backend -> {
              own.add(backend);
              return backend;
            });
  }

  private void letGo() {
    for (BackendConnection backend : own) {
      if (backend.busy() || backend.status() != TransactionStatus.IDLE) {
        backend.close();
      }
    }
  }
}
