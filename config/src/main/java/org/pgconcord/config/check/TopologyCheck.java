package org.pgconcord.config.check;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.pgconcord.config.schema.SchemaComparison;
import org.pgconcord.config.topology.Finding;
import org.pgconcord.config.topology.Findings;
import org.pgconcord.config.topology.Placement;
import org.pgconcord.config.topology.Rule;
import org.pgconcord.config.topology.Topology;
import org.pgconcord.config.topology.Topology.LogicalDatabase;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;

/** All findings about a topology and the shards that it describes. Pure. */
public final class TopologyCheck {
  private TopologyCheck() {}

  /** The shards that the document names against those that the daemon knows. */
  public static List<Finding> shards(Topology topology, Set<ShardId> configured) {
    Findings findings = new Findings();
    for (ShardId shard : topology.shards()) {
      findings.require(
          configured.contains(shard),
          Rule.SHARD_NOT_CONFIGURED,
          "$.shard_groups",
          "the configuration has no shard \"" + shard + "\"");
    }
    for (ShardId shard : new TreeSet<>(configured)) {
      findings.require(
          topology.shards().contains(shard),
          Rule.SHARD_NOT_USED,
          "shard " + shard,
          "no group names it");
    }
    return findings.all();
  }

  /**
   * The declared tables and indexes against what is on the shards.
   *
   * @param surveys logical database -> survey, for each database of the topology
   */
  public static List<Finding> schemas(Topology topology, Map<String, Survey> surveys) {
    List<Finding> all = new ArrayList<>();
    for (LogicalDatabase database : topology.databases().values()) {
      Survey survey = surveys.get(database.name());
      if (survey != null) {
        all.addAll(database(topology, database, survey));
      }
    }
    return all;
  }

  private static List<Finding> database(
      Topology topology, LogicalDatabase database, Survey survey) {
    List<Finding> all =
        new ArrayList<>(SchemaComparison.compareDatabases(database.name(), survey.databases()));
    new java.util.TreeMap<>(database.tables())
        .forEach(
            (table, placement) -> {
              all.addAll(TableCheck.check(table, placement, survey.table(table)));
              if (placement instanceof Placement.Sharded) {
                all.addAll(SequenceCheck.check(table, survey));
              }
            });
    database.gsis().forEach(gsi -> all.addAll(GsiCheck.check(gsi, database, survey)));
    database.referrers().forEach(r -> all.addAll(ReferrerCheck.check(r, database, survey)));
    all.addAll(undeclared(topology, database, survey));
    return all;
  }

  /**
   * Undeclared relations with rows on shards where the defaults do not place them; those that read
   * sharded tables among them, whose rows are wherever those are.
   */
  public static Set<TableName> misplaced(LogicalDatabase database, Survey survey) {
    Set<TableName> misplaced = new TreeSet<>(survey.readers());
    survey
        .undeclaredRows()
        .forEach(
            (shard, tables) ->
                tables.stream()
                    .filter(table -> !shardsOf(database.placement(table)).contains(shard))
                    .forEach(misplaced::add));
    return misplaced;
  }

  private static List<Finding> undeclared(
      Topology topology, LogicalDatabase database, Survey survey) {
    Findings findings = new Findings();
    for (ShardId shard : topology.shards()) {
      Set<TableName> withRows = survey.undeclaredRows().getOrDefault(shard, Set.of());
      for (TableName table : new TreeSet<>(withRows)) {
        findings.require(
            shardsOf(database.placement(table)).contains(shard),
            Rule.SCHEMA_UNDECLARED_ROWS,
            table.toString(),
            "the document does not name it and it has rows on " + shard);
      }
    }
    return findings.all();
  }

  /** The shards on which a table's rows may be. */
  public static SortedSet<ShardId> shardsOf(Placement placement) {
    return new TreeSet<>(
        placement.match(
            new Placement.Cases<List<ShardId>>() {
              @Override
              public List<ShardId> sharded(Placement.Sharded p) {
                return p.group().shards();
              }

              @Override
              public List<ShardId> unsharded(Placement.Unsharded p) {
                return List.of(p.shard());
              }

              @Override
              public List<ShardId> reference(Placement.Reference p) {
                return p.shards();
              }

              @Override
              public List<ShardId> lookup(Placement.Lookup p) {
                return p.shards();
              }
            }));
  }
}
