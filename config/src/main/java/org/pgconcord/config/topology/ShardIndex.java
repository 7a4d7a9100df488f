package org.pgconcord.config.topology;

import java.util.Collections;
import java.util.List;
import java.util.OptionalLong;

/**
 * A routing function: from the values of {@code columns} to a routing value.
 *
 * @param functions one for each column: what its value is passed through
 * @param modulus only for {@link ShardIndexType#MODULO}, greater than 0
 */
public record ShardIndex(
    String name,
    ShardIndexType type,
    List<String> columns,
    List<KeyFunction> functions,
    OptionalLong modulus) {
  public ShardIndex {
    columns = List.copyOf(columns);
    functions = List.copyOf(functions);
  }

  /** An index over plain columns. */
  public ShardIndex(String name, ShardIndexType type, List<String> columns, OptionalLong modulus) {
    this(name, type, columns, Collections.nCopies(columns.size(), KeyFunction.NONE), modulus);
  }

  /** Whether equal values have equal routing values, whatever the columns' names are. */
  public boolean routesAs(ShardIndex other) {
    return type == other.type && functions.equals(other.functions) && modulus.equals(other.modulus);
  }

  /** What the values of a column of the key are passed through. */
  public KeyFunction function(String column) {
    int at = columns.indexOf(column);
    return at < 0 ? KeyFunction.NONE : functions.get(at);
  }
}
