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
 * @param covering reads may be answered from an entry alone: its lookup table has a token that says
 *     which entries are being written
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
    boolean wishEnabled,
    boolean covering) {
  /** The lookup table's column of tokens, where the index is covering. */
  public static final String PENDING = "pgconcord_pending";

  public Gsi {
    columns = List.copyOf(columns);
    ownerShardKey = List.copyOf(ownerShardKey);
    ownerPrimaryKey = List.copyOf(ownerPrimaryKey);
  }

  /** A strict one that is not covering. */
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
        wishEnabled,
        false);
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
        wishEnabled,
        covering);
  }

  /** The same with covering reads. */
  public Gsi answering() {
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
        wishEnabled,
        true);
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
        false,
        covering);
  }
}
