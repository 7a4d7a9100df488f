package org.pgconcord.router.backend;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The whole answer to a statement of the router's own, in text format.
 *
 * @param tag the command tag, such as {@code INSERT 0 1}
 */
public record QueryResult(List<List<@Nullable String>> rows, String tag) {
  public QueryResult {
    rows = List.copyOf(rows);
  }
}
