package org.pgconcord.config.topology;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.pgconcord.config.json.DidYouMean;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.TableName;

/**
 * Fourth stage: the GSIs of one database over its resolved tables. A GSI has two linked
 * declarations, at the database and at its owner; its lookup table has a binding of its own, which
 * this stage replaces by {@link Placement.Lookup}.
 */
final class GsiRules {
  private final String databaseName;
  private final Document.Database database;
  private final Map<TableName, Placement> tables;
  private final Findings findings;
  private final List<Referrer> referrers = new ArrayList<>();

  /**
   * @param tables the database's placements; those of lookup tables are replaced
   */
  GsiRules(
      String databaseName,
      Document.Database database,
      Map<TableName, Placement> tables,
      Findings findings) {
    this.databaseName = databaseName;
    this.database = database;
    this.tables = tables;
    this.findings = findings;
  }

  List<Gsi> resolve() {
    List<Gsi> gsis = new ArrayList<>();
    database.secondaries().forEach((name, gsi) -> gsi(name, gsi).ifPresent(gsis::add));
    referrers.addAll(new ActivationRules(databaseName, database, tables, findings).check());
    return gsis;
  }

  /** The tables that list another table's index; known once {@link #resolve} has run. */
  List<Referrer> referrers() {
    return referrers;
  }

  private Optional<Gsi> gsi(String name, Document.Secondary gsi) {
    new GsiShapeRules(findings).check(gsi);
    Optional<String> schema = schema(gsi);
    if (schema.isEmpty() || name.isEmpty()) {
      return Optional.empty();
    }
    if (gsi.lookup().isEmpty() || gsi.owner().isEmpty()) {
      return Optional.empty();
    }
    TableName lookup = new TableName(schema.get(), gsi.lookup());
    TableName owner = new TableName(schema.get(), gsi.owner());
    GsiName full = new GsiName(databaseName.isEmpty() ? "?" : databaseName, name);
    Optional<Placement.Sharded> sharded = owner(gsi, owner);
    if (lookup.equals(owner)) {
      findings.add(Rule.GSI_LOOKUP_IS_OWNER, gsi.path() + ".table", "the owner holds the rows");
      return Optional.empty();
    }
    lookup(full, gsi, lookup);
    return sharded.map(
        placement ->
            new Gsi(
                full,
                lookup,
                owner,
                gsi.columns(),
                shardKey(gsi, placement.index()),
                gsi.ownerPrimaryKey(),
                gsi.unique(),
                gsi.ignoreNull(),
                GsiMode.of(gsi.mode()).orElse(GsiMode.STRICT),
                gsi.enabled(),
                gsi.covering()));
  }

  /** The schema named, or that of the one schema which binds a table of the lookup's name. */
  private Optional<String> schema(Document.Secondary gsi) {
    if (gsi.schema().isPresent()) {
      return gsi.schema().filter(s -> !s.isEmpty());
    }
    List<String> schemas =
        database.schemas().entrySet().stream()
            .filter(e -> e.getValue().tables().containsKey(gsi.lookup()))
            .map(Map.Entry::getKey)
            .toList();
    if (schemas.isEmpty()) {
      notBound(gsi);
    } else if (schemas.size() > 1) {
      findings.add(
          Rule.GSI_SCHEMA,
          gsi.path(),
          "tables named \"" + gsi.lookup() + "\" are bound in the schemas " + schemas);
    }
    return schemas.size() == 1 ? Optional.of(schemas.get(0)) : Optional.empty();
  }

  private void notBound(Document.Secondary gsi) {
    List<String> names =
        database.schemas().values().stream().flatMap(s -> s.tables().keySet().stream()).toList();
    findings.add(
        Rule.GSI_LOOKUP_NOT_BOUND,
        gsi.path() + ".table",
        "the lookup table \""
            + gsi.lookup()
            + "\" has no binding of its own"
            + DidYouMean.hint(gsi.lookup(), names));
  }

  private boolean declared(TableName table) {
    Document.Schema schema = database.schemas().get(table.schema());
    return schema != null && schema.tables().containsKey(table.name());
  }

  private Optional<Placement.Sharded> owner(Document.Secondary gsi, TableName owner) {
    String path = gsi.path() + ".owner_table";
    if (!declared(owner)) {
      findings.add(
          Rule.GSI_OWNER_NOT_BOUND, path, "the table " + owner + " is not declared under tables");
      return Optional.empty();
    }
    Placement placement = tables.get(owner);
    if (placement instanceof Placement.Sharded sharded) {
      return Optional.of(sharded);
    }
    if (placement != null) {
      findings.add(Rule.GSI_OWNER_NOT_SHARDED, path, "the table " + owner + " is not sharded");
    }
    return Optional.empty();
  }

  private void lookup(GsiName name, Document.Secondary gsi, TableName lookup) {
    String path = gsi.path() + ".table";
    if (!declared(lookup)) {
      notBound(gsi);
      return;
    }
    Placement placement = tables.get(lookup);
    if (placement instanceof Placement.Sharded sharded) {
      boolean indexed = gsi.columns().containsAll(sharded.index().columns());
      findings.require(
          indexed,
          Rule.GSI_LOOKUP_SHARD_KEY,
          path,
          "%s is sharded by %s, of which not all are indexed; equal keys would be on several shards"
              .formatted(lookup, sharded.index().columns()));
      tables.put(lookup, Placement.Lookup.over(name, sharded));
    } else if (placement instanceof Placement.Unsharded unsharded) {
      tables.put(lookup, Placement.Lookup.on(name, unsharded.shard()));
    } else if (placement instanceof Placement.Lookup other) {
      findings.add(
          Rule.GSI_LOOKUP_SHARED, path, lookup + " is the lookup table of " + other.gsi() + " too");
    }
  }

  private List<String> shardKey(Document.Secondary gsi, ShardIndex index) {
    String path = gsi.path() + ".owner_sk_columns";
    gsi.ownerShardKey()
        .ifPresent(
            named ->
                findings.require(
                    named.equals(index.columns()),
                    Rule.GSI_SHARD_KEY,
                    path,
                    "the owner is sharded by " + index.columns() + ", not by " + named));
    findings.require(
        new HashSet<>(gsi.columns()).stream().noneMatch(index.columns()::contains),
        Rule.GSI_INDEXES_SHARD_KEY,
        gsi.path() + ".columns",
        "a shard-key column of the owner is indexed");
    return index.columns();
  }
}
