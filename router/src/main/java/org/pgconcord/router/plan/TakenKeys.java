package org.pgconcord.router.plan;

import java.util.List;
import java.util.Set;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.router.sql.SqlEdit;

/**
 * The conflicts of an INSERT that no shard can see.
 *
 * @param indexes the global indexes that are arbiters of its ON CONFLICT
 * @param edits make a target out of the index's columns that the shard has an index for
 */
public record TakenKeys(Set<GsiName> indexes, List<SqlEdit> edits) {
  /** None: the shards see them all. */
  static final TakenKeys NONE = new TakenKeys(Set.of(), List.of());

  public TakenKeys {
    indexes = Set.copyOf(indexes);
    edits = List.copyOf(edits);
  }
}
