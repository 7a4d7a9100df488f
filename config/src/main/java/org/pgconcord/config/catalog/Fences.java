package org.pgconcord.config.catalog;

import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import org.pgconcord.config.topology.Placement;
import org.pgconcord.config.topology.Topology;
import org.pgconcord.config.topology.Topology.LogicalDatabase;
import org.pgconcord.config.value.TableName;

/**
 * The epoch of each fenced table, which every write of it through a router carries to the shard
 * (docs/decisions/0011). An epoch is the catalog's revision at the last step after which the
 * table's writers have other duties than before it: one that changes whether an index of it is
 * maintained or read, or a document that changes its declaration.
 */
public record Fences(Map<FencedTable, Long> epochs) {
  public static final Fences NONE = new Fences(Map.of());

  public Fences {
    epochs = Map.copyOf(epochs);
  }

  /** What one statement's write carries: a table's sequence and the epoch it was planned under. */
  public record Fence(FencedTable table, long epoch) {}

  public boolean covers(String database, TableName table) {
    return !epochs.isEmpty() && epochs.containsKey(new FencedTable(database, table));
  }

  public Optional<Fence> of(String database, TableName table) {
    FencedTable fenced = new FencedTable(database, table);
    return Optional.ofNullable(epochs.get(fenced)).map(epoch -> new Fence(fenced, epoch));
  }

  /** The tables that a document asks to be fenced: owners of its indexes, and reference tables. */
  public static SortedSet<FencedTable> tables(Topology topology) {
    SortedSet<FencedTable> tables = new TreeSet<>();
    for (LogicalDatabase database : topology.databases().values()) {
      database.gsis().forEach(gsi -> tables.add(new FencedTable(database.name(), gsi.owner())));
      database
          .tables()
          .forEach(
              (table, placement) -> {
                if (placement instanceof Placement.Reference) {
                  tables.add(new FencedTable(database.name(), table));
                }
              });
    }
    return tables;
  }
}
