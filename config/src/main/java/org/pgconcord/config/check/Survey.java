package org.pgconcord.config.check;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.pgconcord.config.schema.DatabaseSchema;
import org.pgconcord.config.schema.TableSchema;
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
 */
public record Survey(
    Map<ShardId, DatabaseSchema> databases,
    Map<ShardId, Map<TableName, TableSchema>> tables,
    Map<ShardId, Set<TableName>> undeclaredRows,
    Set<TableName> readers,
    Set<TableName> namesakes) {
  public Survey {
    databases = Map.copyOf(databases);
    tables = Map.copyOf(tables);
    undeclaredRows = Map.copyOf(undeclaredRows);
    readers = Set.copyOf(readers);
    namesakes = Set.copyOf(namesakes);
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
