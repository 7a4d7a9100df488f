package org.pgconcord.router.exec;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.pgconcord.router.entries.ReturnedRows;
import org.pgconcord.router.plan.RowSplit;

/**
 * Where rows of a statement may be that are not where it has looked: asked when it has locked or
 * changed those that are there, until it knows of no other place.
 */
interface Elsewhere {
  /** Nowhere. */
  Elsewhere NOWHERE = (found, rows) -> CompletableFuture.completedFuture(Optional.empty());

  /**
   * Where the statement runs.
   *
   * @param narrowing what must hold beside its own condition; already in the parts' own texts
   */
  record Where(List<RowSplit.Part> parts, String narrowing) {}

  /**
   * The next place.
   *
   * @param found the entries of the rows that were found so far
   * @param rows how many of them there are
   */
  CompletableFuture<Optional<Where>> after(Supplier<List<ReturnedRows.Found>> found, long rows);
}
