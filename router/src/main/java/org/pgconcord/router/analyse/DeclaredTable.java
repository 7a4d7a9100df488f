package org.pgconcord.router.analyse;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.pgconcord.config.schema.Column;
import org.pgconcord.config.schema.TableSchema;
import org.pgconcord.config.sharding.KeyType;
import org.pgconcord.config.sharding.ShardLocator;
import org.pgconcord.config.topology.KeyFunction;
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
    List<KeyColumn> columns =
        schema.stream()
            .flatMap(s -> sharded.index().columns().stream().flatMap(c -> s.column(c).stream()))
            .filter(Column::deterministic)
            .filter(c -> sharded.index().function(c.name()) == KeyFunction.NONE || c.asciiCase())
            .flatMap(
                c ->
                    c
                        .keyType()
                        .filter(KeyType::routes)
                        .map(t -> new KeyColumn(name, c, t))
                        .stream())
            .toList();
    List<KeyType> types = columns.stream().map(KeyColumn::type).toList();
    return ShardLocator.accepts(sharded.index(), types)
        ? Optional.of(
            new ShardKey(
                columns, sharded, new ShardLocator(sharded.group(), sharded.index(), types)))
        : Optional.empty();
  }

  /**
   * A sharded table's key columns, in the order of its index, and the function from their values to
   * shards.
   */
  public record ShardKey(
      List<KeyColumn> columns, Placement.Sharded placement, ShardLocator locator) {
    public ShardKey {
      columns = List.copyOf(columns);
    }

    /** Where in the key a column is; -1 for one that is not in it. */
    public int position(String column) {
      for (int i = 0; i < columns.size(); i++) {
        if (columns.get(i).name().equals(column)) {
          return i;
        }
      }
      return -1;
    }

    /** For messages: {@code "a"} or {@code "a", "b"}. */
    public String names() {
      return columns.stream().map(c -> "\"" + c.name() + "\"").collect(Collectors.joining(", "));
    }

    /** Whether rows with equal values in all columns of the two keys are always on one shard. */
    public boolean colocatedWith(ShardKey other) {
      return placement.group().uid().equals(other.placement.group().uid())
          && placement.index().routesAs(other.placement.index())
          && IntStream.range(0, columns.size())
              .allMatch(i -> columns.get(i).type().colocatesWith(other.columns.get(i).type()));
    }
  }
}
