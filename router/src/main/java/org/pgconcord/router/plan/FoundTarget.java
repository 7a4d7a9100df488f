package org.pgconcord.router.plan;

import java.util.List;
import java.util.Optional;
import org.pgconcord.config.schema.Column;
import org.pgconcord.config.schema.TableSchema;
import org.pgconcord.config.topology.Placement;
import org.pgconcord.config.value.Identifiers;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;
import org.pgconcord.router.analyse.DeclaredTable;

/**
 * The target of an UPDATE or DELETE, as far as a query's rows can name its rows.
 *
 * @param table empty for one that no document names
 * @param shards where its rows are
 * @param key its shard key's columns; empty where it is not sharded
 */
record FoundTarget(
    String alias, Optional<DeclaredTable> table, List<ShardId> shards, List<String> key) {

  static Optional<FoundTarget> of(String alias, DeclaredTable table) {
    if (table.placement() instanceof Placement.Unsharded one) {
      return Optional.of(
          new FoundTarget(alias, Optional.of(table), List.of(one.shard()), List.of()));
    }
    return table
        .shardKey()
        .map(
            key ->
                new FoundTarget(
                    alias,
                    Optional.of(table),
                    key.placement().group().shards(),
                    key.columns().stream().map(c -> c.name()).toList()));
  }

  static FoundTarget on(String alias, ShardId shard) {
    return new FoundTarget(alias, Optional.empty(), List.of(shard), List.of());
  }

  boolean has(String column) {
    return column(column).isPresent();
  }

  Optional<Column> column(String name) {
    return schema().flatMap(s -> s.column(name));
  }

  Optional<TableName> name() {
    return table.map(DeclaredTable::name);
  }

  /** Its shard key's columns, with its alias. */
  List<String> shardKey() {
    return key.stream().map(c -> Identifiers.quote(alias) + "." + Identifiers.quote(c)).toList();
  }

  /** Whether columns name one row of it at most, which has one shard key. */
  boolean isNamedBy(List<String> columns) {
    List<String> primary = schema().map(TableSchema::primaryKey).orElse(List.of());
    return !primary.isEmpty() && columns.containsAll(primary);
  }

  private Optional<TableSchema> schema() {
    return table.flatMap(DeclaredTable::schema);
  }
}
