package org.pgconcord.daemon.topology;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.pgconcord.config.check.Survey;
import org.pgconcord.config.check.TopologyCheck;
import org.pgconcord.config.schema.TableSchema;
import org.pgconcord.config.topology.Topology;
import org.pgconcord.config.topology.Topology.LogicalDatabase;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;

/** Which declared tables a shard should have, by the document alone. Pure. */
public final class ShardTables {
  private ShardTables() {}

  /** The declared tables whose rows may be on the shard. */
  public static SortedSet<TableName> on(ShardId shard, LogicalDatabase database) {
    SortedSet<TableName> here = new TreeSet<>();
    database
        .tables()
        .forEach(
            (table, placement) -> {
              if (TopologyCheck.shardsOf(placement).contains(shard)) {
                here.add(table);
              }
            });
    return here;
  }

  /** The surveys of shards that all have {@code tables} where the document wants them. */
  public static Map<String, Survey> survey(Topology topology, Map<TableName, TableSchema> tables) {
    Map<String, Survey> surveys = new LinkedHashMap<>();
    for (LogicalDatabase database : topology.databases().values()) {
      Map<ShardId, Map<TableName, TableSchema>> byShard = new HashMap<>();
      for (ShardId shard : topology.shards()) {
        Map<TableName, TableSchema> here = new HashMap<>(tables);
        here.keySet().retainAll(on(shard, database));
        byShard.put(shard, here);
      }
      surveys.put(database.name(), new Survey(Map.of(), byShard, Map.of(), Set.of(), Set.of()));
    }
    return surveys;
  }
}
