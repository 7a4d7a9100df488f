package org.pgconcord.config.schema;

import java.util.Map;
import java.util.Optional;

/**
 * How the shards' own definitions of one table differ, as far as a statement could mean one thing
 * on one shard and another thing on the next without an error. What only makes a shard refuse (a
 * missing column, NOT NULL, a constraint) is not here: its error reaches the client.
 *
 * @param columns names of the columns, or their order: values without names go to other columns
 * @param meanings column -> in what its values compare, sort or are made otherwise (type,
 *     collation, generated expression); {@link #ROWS} for row security
 * @param defaults column -> what an INSERT that leaves it out stores
 */
public record ShardDifferences(
    Optional<String> columns, Map<String, String> meanings, Map<String, String> defaults) {
  /** Stands for all columns: which rows are seen at all. */
  public static final String ROWS = "";

  public static final ShardDifferences NONE =
      new ShardDifferences(Optional.empty(), Map.of(), Map.of());

  public ShardDifferences {
    meanings = Map.copyOf(meanings);
    defaults = Map.copyOf(defaults);
  }
}
