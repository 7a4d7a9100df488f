package org.pgconcord.config.schema;

import java.util.List;
import java.util.Optional;
import org.pgconcord.config.value.TableName;

/**
 * A table as one shard's catalog describes it.
 *
 * @param relkind {@code r}, {@code p}, {@code v} ... as in {@code pg_class}
 * @param indexes the columns of each usable index, unique or not, in index order; a usable index is
 *     valid, not partial, a btree, and over plain columns
 * @param replicaIdentity {@code d}, {@code n}, {@code f} or {@code i} as in {@code
 *     pg_class.relreplident}
 * @param replicaIdentityColumns the columns that an old row image carries: all of them for {@code
 *     f}, none for {@code n}
 * @param rowSecurity true when row level security is enabled on the table
 * @param rowsEstimated {@code reltuples}, at least 0
 * @param hiddenEffects it has a rule, or a trigger of a user's that fires after rows are stored: a
 *     write may do more than what it returns shows
 * @param family the relations that have its rows
 * @param differences between the shards that have it, where they are known
 */
public record TableSchema(
    TableName name,
    char relkind,
    List<Column> columns,
    List<UniqueKey> uniqueKeys,
    List<List<String>> indexes,
    char replicaIdentity,
    List<String> replicaIdentityColumns,
    boolean rowSecurity,
    long rowsEstimated,
    boolean hiddenEffects,
    Family family,
    ShardDifferences differences) {
  public TableSchema {
    columns = List.copyOf(columns);
    uniqueKeys = List.copyOf(uniqueKeys);
    indexes = indexes.stream().map(List::copyOf).toList();
    replicaIdentityColumns = List.copyOf(replicaIdentityColumns);
  }

  /** A table whose only indexes are its unique keys. */
  public TableSchema(
      TableName name,
      char relkind,
      List<Column> columns,
      List<UniqueKey> uniqueKeys,
      char replicaIdentity,
      List<String> replicaIdentityColumns,
      boolean rowSecurity,
      long rowsEstimated) {
    this(
        name,
        relkind,
        columns,
        uniqueKeys,
        uniqueKeys.stream().filter(UniqueKey::usable).map(UniqueKey::columns).toList(),
        replicaIdentity,
        replicaIdentityColumns,
        rowSecurity,
        rowsEstimated,
        false,
        Family.ALONE,
        ShardDifferences.NONE);
  }

  /** The same, with or without effects that no returned row shows. */
  public TableSchema withHiddenEffects(boolean hidden) {
    return new TableSchema(
        name,
        relkind,
        columns,
        uniqueKeys,
        indexes,
        replicaIdentity,
        replicaIdentityColumns,
        rowSecurity,
        rowsEstimated,
        hidden,
        family,
        differences);
  }

  /** The same with other columns. */
  public TableSchema withColumns(List<Column> others) {
    return new TableSchema(
        name,
        relkind,
        others,
        uniqueKeys,
        indexes,
        replicaIdentity,
        replicaIdentityColumns,
        rowSecurity,
        rowsEstimated,
        hiddenEffects,
        family,
        differences);
  }

  /** The same, with what is known of the other shards' definitions. */
  public TableSchema withDifferences(ShardDifferences others) {
    return new TableSchema(
        name,
        relkind,
        columns,
        uniqueKeys,
        indexes,
        replicaIdentity,
        replicaIdentityColumns,
        rowSecurity,
        rowsEstimated,
        hiddenEffects,
        family,
        others);
  }

  public Optional<Column> column(String columnName) {
    return columns.stream().filter(c -> c.name().equals(columnName)).findFirst();
  }

  /** The primary key's columns in index order; empty without a primary key. */
  public List<String> primaryKey() {
    return uniqueKeys.stream()
        .filter(UniqueKey::primary)
        .findFirst()
        .map(UniqueKey::columns)
        .orElse(List.of());
  }
}
