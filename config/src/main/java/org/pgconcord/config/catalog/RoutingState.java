package org.pgconcord.config.catalog;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.pgconcord.config.schema.TableSchema;
import org.pgconcord.config.schema.UserCode;
import org.pgconcord.config.topology.Topology;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.TableName;

/**
 * All that routing depends on, at one moment: the topology with its revision, the states of the
 * GSIs and the tables as the shards' catalogs describe them. Immutable; a plan made from one state
 * is used only while {@link #revision} is current (document and state changes share the count).
 *
 * @param schemas logical database -> declared table -> its description
 * @param misplaced logical database -> undeclared relations with rows where the defaults do not
 *     place them, views over sharded tables among them; statements on them are refused until they
 *     are declared
 * @param namesakes logical database -> undeclared relations that have a declared table's name in
 *     another schema, on any shard
 * @param code logical database -> what runs code of users, on any shard
 * @param copies the marked copies of reference tables
 * @param fences the epochs of the fenced tables that the topology declares
 * @param stands the servers on which the indexes stand
 */
public record RoutingState(
    long revision,
    Topology topology,
    Map<GsiName, GsiStatus> gsis,
    Map<String, Map<TableName, TableSchema>> schemas,
    Map<String, Set<TableName>> misplaced,
    Map<String, Set<TableName>> namesakes,
    Map<String, UserCode> code,
    CopyMarks copies,
    Fences fences,
    Stands stands) {
  public RoutingState {
    misplaced = Map.copyOf(misplaced);
    namesakes = Map.copyOf(namesakes);
    code = Map.copyOf(code);
    gsis = Map.copyOf(gsis);
    schemas = Map.copyOf(schemas);
  }

  /** A state without undeclared relations that matter, of a router that is the only one. */
  public RoutingState(
      long revision,
      Topology topology,
      Map<GsiName, GsiStatus> gsis,
      Map<String, Map<TableName, TableSchema>> schemas) {
    this(
        revision,
        topology,
        gsis,
        schemas,
        Map.of(),
        Map.of(),
        Map.of(),
        CopyMarks.NONE,
        Fences.NONE,
        Stands.NONE);
  }

  /** The same with other marks. */
  public RoutingState withCopies(CopyMarks marks) {
    return new RoutingState(
        revision, topology, gsis, schemas, misplaced, namesakes, code, marks, fences, stands);
  }

  /** The same with other fences. */
  public RoutingState withFences(Fences epochs) {
    return new RoutingState(
        revision, topology, gsis, schemas, misplaced, namesakes, code, copies, epochs, stands);
  }

  /** The same with other servers. */
  public RoutingState withStands(Stands servers) {
    return new RoutingState(
        revision, topology, gsis, schemas, misplaced, namesakes, code, copies, fences, servers);
  }

  /**
   * A GSI's state as the catalog has it.
   *
   * @param reason empty unless the state needs one (blocked, needs_resync)
   * @param epoch raised by one with each step of the state
   */
  public record GsiStatus(GsiState state, String reason, long epoch) {}

  /** The state of a declared GSI; {@code declared} at epoch 0 when the catalog has none yet. */
  public GsiStatus status(GsiName gsi) {
    return gsis.getOrDefault(gsi, new GsiStatus(GsiState.DECLARED, "", 0));
  }

  public Optional<TableSchema> schema(String database, TableName table) {
    return Optional.ofNullable(schemas.getOrDefault(database, Map.of()).get(table));
  }

  /** What runs code of users; nothing where the shards have not been asked. */
  public UserCode userCode(String database) {
    return code.getOrDefault(database, UserCode.NONE);
  }

  /** Whether an undeclared table has rows on a shard where it should have none. */
  public boolean isMisplaced(String database, TableName table) {
    return misplaced.getOrDefault(database, Set.of()).contains(table);
  }

  /** Whether an undeclared relation has a declared table's name in another schema. */
  public boolean isNamesake(String database, TableName relation) {
    return namesakes.getOrDefault(database, Set.of()).contains(relation);
  }
}
