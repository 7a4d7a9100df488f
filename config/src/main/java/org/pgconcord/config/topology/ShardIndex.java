package org.pgconcord.config.topology;

import java.util.List;
import java.util.OptionalLong;

/**
 * A routing function: from the values of {@code columns} to a routing value.
 *
 * @param modulus only for {@link ShardIndexType#MODULO}, greater than 0
 */
public record ShardIndex(
    String name, ShardIndexType type, List<String> columns, OptionalLong modulus) {
  public ShardIndex {
    columns = List.copyOf(columns);
  }
}
