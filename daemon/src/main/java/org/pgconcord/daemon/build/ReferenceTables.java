package org.pgconcord.daemon.build;

import java.util.ArrayList;
import java.util.List;
import org.pgconcord.config.catalog.CopiedTable;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.topology.Placement;
import org.pgconcord.config.topology.Topology;
import org.pgconcord.config.topology.Topology.LogicalDatabase;
import org.pgconcord.config.value.ShardId;

/** The reference tables that a topology declares. Pure. */
final class ReferenceTables {
  private ReferenceTables() {}

  /**
   * One of them.
   *
   * @param copies the shards that have one, sorted: the first leads
   */
  record Declared(CopiedTable table, List<ShardId> copies) {
    ShardId leader() {
      return copies.get(0);
    }

    List<ShardId> others() {
      return copies.subList(1, copies.size());
    }

    private boolean named(String name) {
      return name.equals(table.table().name())
          || name.equals(table.table().toString())
          || name.equals(table.toString());
    }
  }

  static List<Declared> all(Topology topology) {
    List<Declared> all = new ArrayList<>();
    for (LogicalDatabase database : topology.databases().values()) {
      database
          .tables()
          .forEach(
              (table, placement) -> {
                if (placement instanceof Placement.Reference reference) {
                  all.add(
                      new Declared(
                          new CopiedTable(database.name(), table),
                          reference.shards().stream().sorted().toList()));
                }
              });
    }
    return all;
  }

  /**
   * Finds one by name.
   *
   * @param name {@code countries}, {@code public.countries} or {@code app.public.countries}
   */
  static Declared find(Topology topology, String name) {
    List<Declared> all = all(topology);
    List<Declared> found = all.stream().filter(table -> table.named(name)).toList();
    if (found.size() != 1) {
      throw ErrorCode.REFERENCE_UNKNOWN
          .because(
              found.isEmpty()
                  ? "the applied topology declares no reference table " + name
                  : name + " may be one of several reference tables")
          .withDetail("declared: " + all.stream().map(Declared::table).toList());
    }
    return found.get(0);
  }
}
