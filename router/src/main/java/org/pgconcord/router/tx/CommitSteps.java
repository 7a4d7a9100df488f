package org.pgconcord.router.tx;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.pgconcord.router.backend.BackendConnection;

/** One way to commit a transaction. Used once. */
interface CommitSteps {
  /** The router's own limit for an answer. */
  Duration ANY = Duration.ofDays(1);

  /** Fails with what the client is told; backends may then still be inside a transaction. */
  CompletableFuture<Void> run();

  /** Something may have been committed: it is too late to cancel. */
  boolean underWay();

  /** {@link #run} has failed, and all the same it commits whole, by others and later. */
  boolean pending();

  /** How each written shard's part has ended, where they can end differently. */
  Outcomes outcomes();

  /** The client backends that have left the transaction and kept what was set in it. */
  List<BackendConnection> committed();
}
