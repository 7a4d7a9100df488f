package org.pgconcord.router.analyse;

import java.util.List;
import java.util.Optional;
import org.pgconcord.config.schema.Column;
import org.pgconcord.config.schema.TableSchema;
import org.pgconcord.config.sharding.KeyType;
import org.pgconcord.config.sharding.ShardLocator;
import org.pgconcord.config.topology.Placement;
import org.pgconcord.config.value.TableName;

/** A table of the topology with what its shards say about it; no schema means it was not found. */
public record DeclaredTable(TableName name, Placement placement, Optional<TableSchema> schema) {

  public boolean sharded() {
    return placement instanceof Placement.Sharded;
  }

  /** False for names that PostgreSQL would look for elsewhere; true when in doubt. */
  public boolean hasColumn(String column) {
    return schema.map(s -> s.column(column).isPresent()).orElse(true);
  }

  /** How rows of a sharded table find their shard; empty when its key cannot be used. */
  public Optional<ShardKey> shardKey() {
    if (!(placement instanceof Placement.Sharded sharded)) {
      return Optional.empty();
    }
    List<String> columns = sharded.index().columns();
    return schema
        .filter(s -> columns.size() == 1)
        .flatMap(s -> s.column(columns.get(0)))
        .filter(Column::deterministic)
        .flatMap(
            column ->
                KeyType.of(column.typeOid())
                    .filter(type -> ShardLocator.accepts(sharded.index(), List.of(type)))
                    .map(
                        type ->
                            new ShardKey(
                                new KeyColumn(name, column, type),
                                sharded,
                                new ShardLocator(sharded.group(), sharded.index(), type))));
  }

  /** A sharded table's key column and the function from its values to shards. */
  public record ShardKey(KeyColumn column, Placement.Sharded placement, ShardLocator locator) {

    /** Whether equal values of the two keys are always on one shard. */
    public boolean colocatedWith(ShardKey other) {
      return placement.group().uid().equals(other.placement.group().uid())
          && placement.index().equals(other.placement.index())
          && column.type().colocatesWith(other.column.type());
    }
  }
}
