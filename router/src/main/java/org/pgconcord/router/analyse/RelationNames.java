package org.pgconcord.router.analyse;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.pgconcord.config.catalog.RoutingState;
import org.pgconcord.config.schema.UserCode;
import org.pgconcord.config.topology.Placement;
import org.pgconcord.config.topology.Topology.LogicalDatabase;
import org.pgconcord.config.value.TableName;

/**
 * Finds relations by name as PostgreSQL does: an unqualified name is looked for in the schemas of
 * the search path in order, where {@code pg_catalog} comes first unless the path says otherwise.
 */
public final class RelationNames {
  /** The schema of pgConcord itself. */
  public static final String SYSTEM_SCHEMA = "pgconcord";

  private final RoutingState state;
  private final LogicalDatabase database;
  private final List<String> path;

  /** {@code searchPath} may hold {@code $user}, which stands for {@code role}. */
  public RelationNames(
      RoutingState state, LogicalDatabase database, List<String> searchPath, String role) {
    this.state = state;
    this.database = database;
    this.path = searchPath.stream().map(s -> s.equals("$user") ? role : s).toList();
  }

  /** Names, without schema, whose appearance in a text must be understood. */
  public Set<String> watched() {
    Set<String> names = new HashSet<>();
    database.tables().keySet().forEach(t -> names.add(t.name()));
    state.misplaced().getOrDefault(database.name(), Set.of()).forEach(t -> names.add(t.name()));
    return names;
  }

  /** What runs code of users in this database. */
  public UserCode userCode() {
    return state.userCode(database.name());
  }

  /** {@code name} has one part, or schema and name; folded. */
  public Relation find(List<String> name) {
    if (name.size() == 2) {
      return find(name.get(0), name.get(1));
    }
    Optional<TableName> hiding = Optional.empty();
    for (String schema : path) {
      Relation found = find(schema, name.get(0));
      if (!(found instanceof Relation.Undeclared)) {
        return hiding.<Relation>map(Relation.Misplaced::new).orElse(found);
      }
      hiding = hiding.or(() -> namesake(schema, name.get(0)));
    }
    return new Relation.Undeclared(defaultPlacement());
  }

  private Relation find(String schema, String name) {
    if (schema.equals(SYSTEM_SCHEMA)) {
      return new Relation.Internal();
    }
    if (schema.isEmpty() || name.isEmpty()) {
      return new Relation.Undeclared(database.fallback());
    }
    TableName table = new TableName(schema, name);
    Placement placement = database.tables().get(table);
    if (placement == null) {
      return state.isMisplaced(database.name(), table)
          ? new Relation.Misplaced(table)
          : new Relation.Undeclared(placementOf(table));
    }
    return new Relation.Declared(
        new DeclaredTable(table, placement, state.schema(database.name(), table)));
  }

  /** Some shard has it: there it comes before the declared table, elsewhere perhaps not. */
  private Optional<TableName> namesake(String schema, String name) {
    return schema.isEmpty() || name.isEmpty()
        ? Optional.empty()
        : Optional.of(new TableName(schema, name))
            .filter(table -> state.isNamesake(database.name(), table));
  }

  /** Whether names without schema are looked for in it. */
  public boolean inPath(String schema) {
    return path.contains(schema);
  }

  /** Catalogs are read on the authoritative shard whatever the defaults say. */
  private Placement placementOf(TableName table) {
    boolean catalog =
        table.schema().equals("pg_catalog") || table.schema().equals("information_schema");
    return catalog ? authoritative() : database.placement(table);
  }

  private Placement defaultPlacement() {
    Optional<String> schema = path.stream().filter(s -> !s.equals("pg_catalog")).findFirst();
    return schema
        .map(s -> database.schemaDefaults().getOrDefault(s, database.fallback()))
        .orElse(database.fallback());
  }

  private Placement authoritative() {
    return new Placement.Unsharded(
        state.topology().authoritativeGroup(), state.topology().authoritativeShard(), false);
  }

  /** True when built-in functions and operators cannot be hidden by others of the same name. */
  public boolean builtinsFirst() {
    int at = path.indexOf("pg_catalog");
    return at <= 0;
  }

  /** True when a name without schema could mean a relation of the system's schema. */
  public boolean pathHasSystemSchema() {
    return path.contains(SYSTEM_SCHEMA);
  }
}
