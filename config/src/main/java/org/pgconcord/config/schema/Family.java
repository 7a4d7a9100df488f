package org.pgconcord.config.schema;

import java.util.List;

/**
 * What is remarkable about the relations that have a table's rows: itself, or its partitions'
 * leaves, and children by plain inheritance. Names are quoted and carry their schema.
 *
 * @param children by plain inheritance
 * @param unlogged whose changes are in no log, temporary ones too
 * @param foreign whose rows are on other servers
 * @param untold whose replica identity is not full
 */
public record Family(
    List<String> children, List<String> unlogged, List<String> foreign, List<String> untold) {
  /** One ordinary table. */
  public static final Family ALONE = new Family(List.of(), List.of(), List.of(), List.of());

  public Family {
    children = List.copyOf(children);
    unlogged = List.copyOf(unlogged);
    foreign = List.copyOf(foreign);
    untold = List.copyOf(untold);
  }
}
