package org.pgconcord.config.topology;

import java.util.List;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.TableName;

/**
 * A global secondary index as declared, defaults resolved.
 *
 * @param lookup the lookup table
 * @param owner the table whose rows it finds
 * @param columns the indexed columns, in order
 * @param ownerShardKey {@code owner_sk_columns}, inferred when the document omits it
 * @param ownerPrimaryKey {@code owner_pk_columns}; empty for a unique GSI without them
 * @param mode which statements on the owner it takes; says nothing of the entries themselves
 * @param wishEnabled the document's {@code enabled}: a wish; the catalog's state decides
 */
public record Gsi(
    GsiName name,
    TableName lookup,
    TableName owner,
    List<String> columns,
    List<String> ownerShardKey,
    List<String> ownerPrimaryKey,
    boolean unique,
    boolean ignoreNull,
    GsiMode mode,
    boolean wishEnabled) {
  public Gsi {
    columns = List.copyOf(columns);
    ownerShardKey = List.copyOf(ownerShardKey);
    ownerPrimaryKey = List.copyOf(ownerPrimaryKey);
  }

  /** A strict one. */
  public Gsi(
      GsiName name,
      TableName lookup,
      TableName owner,
      List<String> columns,
      List<String> ownerShardKey,
      List<String> ownerPrimaryKey,
      boolean unique,
      boolean ignoreNull,
      boolean wishEnabled) {
    this(
        name,
        lookup,
        owner,
        columns,
        ownerShardKey,
        ownerPrimaryKey,
        unique,
        ignoreNull,
        GsiMode.STRICT,
        wishEnabled);
  }

  /** The same in another mode. */
  public Gsi in(GsiMode other) {
    return new Gsi(
        name,
        lookup,
        owner,
        columns,
        ownerShardKey,
        ownerPrimaryKey,
        unique,
        ignoreNull,
        other,
        wishEnabled);
  }

  public boolean extended() {
    return mode == GsiMode.EXTENDED;
  }

  /** The same, without what the document wishes. */
  public Gsi withoutWish() {
    return new Gsi(
        name,
        lookup,
        owner,
        columns,
        ownerShardKey,
        ownerPrimaryKey,
        unique,
        ignoreNull,
        mode,
        false);
  }
}
