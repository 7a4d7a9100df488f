package org.pgconcord.router.analyse;

import org.pgconcord.config.topology.Placement;
import org.pgconcord.config.value.TableName;

/** What a relation's name in a statement stands for. */
public sealed interface Relation {
  /** A table of the topology. */
  record Declared(DeclaredTable table) implements Relation {}

  /** A table that no document names; its placement follows from the defaults. */
  record Undeclared(Placement placement) implements Relation {}

  /**
   * A relation that no document names although rows of it, or declared tables that it reads, are on
   * other shards than its own, or that may come before the declared table which the name means.
   */
  record Misplaced(TableName table) implements Relation {}

  /** A relation of the system's own schema {@code pgconcord}. */
  record Internal() implements Relation {}
}
