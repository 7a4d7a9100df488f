package org.pgconcord.config.catalog;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.pgconcord.config.catalog.RoutingState.GsiStatus;
import org.pgconcord.config.check.SchemaSurvey;
import org.pgconcord.config.check.Survey;
import org.pgconcord.config.check.TopologyCheck;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.schema.Column;
import org.pgconcord.config.schema.Numbering;
import org.pgconcord.config.schema.SchemaComparison;
import org.pgconcord.config.schema.TableSchema;
import org.pgconcord.config.schema.UserCode;
import org.pgconcord.config.topology.Topology;
import org.pgconcord.config.topology.Topology.LogicalDatabase;
import org.pgconcord.config.topology.TopologyReader;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;

/** Puts a routing state together from the catalog and the shards' schemas. Blocks. */
public final class RoutingStates {
  private final Catalog catalog;
  private final SchemaSurvey surveys;

  public RoutingStates(Catalog catalog, SchemaSurvey surveys) {
    this.catalog = catalog;
    this.surveys = surveys;
  }

  /**
   * The state now.
   *
   * @throws org.pgconcord.config.error.ConcordException {@code topology/invalid} when no document
   *     has been applied, or when a shard cannot be asked
   */
  public RoutingState load() {
    CatalogState stored = catalog.load();
    Topology topology = topology(stored);
    return assemble(stored, topology, surveys.read(topology));
  }

  /**
   * The catalog's part as it is now over the schemas of an earlier state: a step must reach the
   * router also while a shard is down.
   */
  public RoutingState loadOver(RoutingState earlier) {
    CatalogState stored = catalog.load();
    Topology topology = topology(stored);
    return new RoutingState(
        stored.revision(),
        topology,
        declared(stored, topology),
        earlier.schemas(),
        earlier.misplaced(),
        earlier.namesakes(),
        earlier.code(),
        stored.copies(),
        fences(stored, topology),
        stored.stands());
  }

  /** The document's topology; what was stored had no findings, but this version may be stricter. */
  static Topology topology(CatalogState stored) {
    String document =
        stored
            .document()
            .orElseThrow(
                () -> ErrorCode.TOPOLOGY_INVALID.because("no topology has been applied yet"))
            .text();
    return TopologyReader.read(document).orThrow();
  }

  static RoutingState assemble(
      CatalogState stored, Topology topology, Map<String, Survey> surveys) {
    Map<String, Map<TableName, TableSchema>> schemas = new HashMap<>();
    Map<String, Set<TableName>> misplaced = new HashMap<>();
    Map<String, Set<TableName>> namesakes = new HashMap<>();
    Map<String, UserCode> code = new HashMap<>();
    for (LogicalDatabase database : topology.databases().values()) {
      Survey survey = surveys.get(database.name());
      if (survey != null) {
        schemas.put(database.name(), schemas(database, survey));
        misplaced.put(database.name(), TopologyCheck.misplaced(database, survey));
        namesakes.put(database.name(), survey.namesakes());
        code.put(database.name(), survey.code());
      }
    }
    return new RoutingState(
        stored.revision(),
        topology,
        declared(stored, topology),
        schemas,
        misplaced,
        namesakes,
        code,
        stored.copies(),
        fences(stored, topology),
        stored.stands());
  }

  /**
   * Each table as its first shard has it, its triggers, rules and sequences as all have them, and
   * in what the others differ.
   */
  public static Map<TableName, TableSchema> schemas(LogicalDatabase database, Survey survey) {
    Map<TableName, TableSchema> schemas = new HashMap<>();
    database
        .tables()
        .forEach(
            (table, placement) -> {
              Map<ShardId, TableSchema> found = survey.table(table);
              found.keySet().retainAll(TopologyCheck.shardsOf(placement));
              boolean hidden = found.values().stream().anyMatch(TableSchema::hiddenEffects);
              found.values().stream()
                  .findFirst()
                  .ifPresent(
                      s ->
                          schemas.put(
                              table,
                              s.withHiddenEffects(hidden)
                                  .withColumns(numbered(s, found.values()))
                                  .withDifferences(SchemaComparison.differences(found))));
            });
    return Map.copyOf(schemas);
  }

  /** The columns, each with the one sequence that its shards' sequences stand for. */
  private static List<Column> numbered(TableSchema table, Collection<TableSchema> shards) {
    return table.columns().stream()
        .map(column -> column.withNumbering(Numbering.over(sequences(column.name(), shards))))
        .toList();
  }

  private static List<Numbering> sequences(String column, Collection<TableSchema> shards) {
    return shards.stream()
        .flatMap(s -> s.column(column).stream())
        .flatMap(c -> c.numbering().stream())
        .toList();
  }

  private static Fences fences(CatalogState stored, Topology topology) {
    Map<FencedTable, Long> epochs = new HashMap<>(stored.fences().epochs());
    epochs.keySet().retainAll(Fences.tables(topology));
    return new Fences(epochs);
  }

  private static Map<GsiName, GsiStatus> declared(CatalogState stored, Topology topology) {
    return stored.gsis().entrySet().stream()
        .filter(e -> topology.gsi(e.getKey()).isPresent())
        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
  }
}
