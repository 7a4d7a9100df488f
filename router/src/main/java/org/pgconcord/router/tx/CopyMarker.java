package org.pgconcord.router.tx;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.pgconcord.config.catalog.CopiedTable;
import org.pgconcord.config.value.ShardId;

/** Marks copies of reference tables that may differ from their leader. Any thread. */
@FunctionalInterface
public interface CopyMarker {
  /**
   * Marks them for this router at once, and for all in the catalog.
   *
   * @return completes, on any thread, when the mark is stored, or when storing it has failed for so
   *     long that the client has to be answered; never fails
   */
  CompletableFuture<Void> mark(CopiedTable table, Set<ShardId> copies, String reason);
}
