package org.pgconcord.config.topology;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;

/**
 * An applied topology document with its defaults resolved: immutable, checked, replaced whole. Made
 * by {@code TopologyReader}.
 *
 * @param authoritativeGroup a group of one shard without bounds; its shard holds the catalog
 * @param databases logical database -> its declared tables and GSIs
 */
public record Topology(
    ShardGroup authoritativeGroup,
    List<ShardGroup> groups,
    List<ShardIndex> indexes,
    Map<String, LogicalDatabase> databases) {
  public Topology {
    groups = List.copyOf(groups);
    indexes = List.copyOf(indexes);
    databases = Map.copyOf(databases);
  }

  /**
   * The declared tables (lookup tables among them) and GSIs of one logical database.
   *
   * @param referrers the tables that list an index of another table
   * @param schemaDefaults schema -> where its undeclared tables are, when the document says so
   * @param fallback where every other undeclared table is, at last the authoritative group
   */
  public record LogicalDatabase(
      String name,
      Map<TableName, Placement> tables,
      List<Gsi> gsis,
      List<Referrer> referrers,
      Map<String, Placement> schemaDefaults,
      Placement fallback) {
    public LogicalDatabase {
      tables = Map.copyOf(tables);
      gsis = List.copyOf(gsis);
      referrers = List.copyOf(referrers);
      schemaDefaults = Map.copyOf(schemaDefaults);
    }

    /** One without referrers. */
    public LogicalDatabase(
        String name,
        Map<TableName, Placement> tables,
        List<Gsi> gsis,
        Map<String, Placement> schemaDefaults,
        Placement fallback) {
      this(name, tables, gsis, List.of(), schemaDefaults, fallback);
    }

    /** The placement of any table of this database, declared or not. */
    public Placement placement(TableName table) {
      Placement declared = tables.get(table);
      return declared != null ? declared : schemaDefaults.getOrDefault(table.schema(), fallback);
    }

    /** The indexes of other tables that {@code table} lists. */
    public List<Referrer> referencesOf(TableName table) {
      return referrers.stream().filter(r -> r.table().equals(table)).toList();
    }

    /** The GSIs whose owner is {@code table}. */
    public List<Gsi> gsisOf(TableName table) {
      return gsis.stream().filter(g -> g.owner().equals(table)).toList();
    }
  }

  public ShardId authoritativeShard() {
    return authoritativeGroup.keyRanges().get(0).shard();
  }

  public Optional<LogicalDatabase> database(String name) {
    return Optional.ofNullable(databases.get(name));
  }

  public Optional<Gsi> gsi(GsiName name) {
    return database(name.database())
        .flatMap(d -> d.gsis().stream().filter(g -> g.name().equals(name)).findFirst());
  }

  /** Whether nothing but indexes' wishes, at most, tells it from another. */
  public boolean differsInWishesAtMost(Topology other) {
    return withoutWishes().equals(other.withoutWishes());
  }

  private Topology withoutWishes() {
    Map<String, LogicalDatabase> wishless = new HashMap<>();
    databases.forEach(
        (name, database) ->
            wishless.put(
                name,
                new LogicalDatabase(
                    name,
                    database.tables(),
                    database.gsis().stream().map(Gsi::withoutWish).toList(),
                    database.referrers(),
                    database.schemaDefaults(),
                    database.fallback())));
    return new Topology(authoritativeGroup, groups, indexes, wishless);
  }

  /** Every shard that a group names, sorted. */
  public SortedSet<ShardId> shards() {
    SortedSet<ShardId> all = new TreeSet<>();
    groups.forEach(g -> all.addAll(g.shards()));
    return all;
  }
}
