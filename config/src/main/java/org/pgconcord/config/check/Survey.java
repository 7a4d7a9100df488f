package org.pgconcord.config.check;

import java.math.BigDecimal;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.pgconcord.config.schema.DatabaseSchema;
import org.pgconcord.config.schema.TableSchema;
import org.pgconcord.config.schema.UserCode;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;

/**
 * What one logical database looks like on its shards.
 *
 * @param databases the database's own properties, by shard
 * @param tables by shard, those of the declared tables that exist there
 * @param undeclaredRows by shard, tables of the user's schemas that the document does not name and
 *     that hold rows
 * @param readers relations that the document does not name and through which rows of sharded tables
 *     are read: views over them, their partitions, children and parents
 * @param namesakes relations that the document does not name in other schemas than a declared table
 *     of the same name, on any shard
 * @param sequences by shard, what the shard's own sequences have given last, where they may be read
 * @param numbers what routers give next of each sequence, as the catalog has it
 * @param code what runs code of users, on any shard
 */
public record Survey(
    Map<ShardId, DatabaseSchema> databases,
    Map<ShardId, Map<TableName, TableSchema>> tables,
    Map<ShardId, Set<TableName>> undeclaredRows,
    Set<TableName> readers,
    Set<TableName> namesakes,
    Map<ShardId, Map<TableName, Long>> sequences,
    Map<TableName, BigDecimal> numbers,
    UserCode code) {
  public Survey {
    databases = Map.copyOf(databases);
    tables = Map.copyOf(tables);
    undeclaredRows = Map.copyOf(undeclaredRows);
    readers = Set.copyOf(readers);
    namesakes = Set.copyOf(namesakes);
    sequences = Map.copyOf(sequences);
    numbers = Map.copyOf(numbers);
  }

  /** One that knows nothing of sequences, nor of functions. */
  public Survey(
      Map<ShardId, DatabaseSchema> databases,
      Map<ShardId, Map<TableName, TableSchema>> tables,
      Map<ShardId, Set<TableName>> undeclaredRows,
      Set<TableName> readers,
      Set<TableName> namesakes) {
    this(databases, tables, undeclaredRows, readers, namesakes, Map.of(), Map.of(), UserCode.NONE);
  }

  /** The shards that have the table, with its description there. */
  public Map<ShardId, TableSchema> table(TableName name) {
    Map<ShardId, TableSchema> found = new TreeMap<>();
    tables.forEach(
        (shard, here) -> {
          TableSchema schema = here.get(name);
          if (schema != null) {
            found.put(shard, schema);
          }
        });
    return found;
  }
}
