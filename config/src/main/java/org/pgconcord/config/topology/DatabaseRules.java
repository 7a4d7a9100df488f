package org.pgconcord.config.topology;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.pgconcord.config.topology.Topology.LogicalDatabase;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;

/** Third stage: the tables of one logical database, then its GSIs. */
final class DatabaseRules {
  private static final Set<String> SYSTEM_SCHEMAS =
      Set.of("pgconcord", "pg_catalog", "information_schema", "pg_toast");
  private static final int NAME_BYTES = 63;

  private final String name;
  private final Document.Database database;
  private final Layout layout;
  private final Findings findings;
  private final Placements placements;
  private final Map<TableName, Placement> tables = new LinkedHashMap<>();
  private final Map<String, Placement> schemaDefaults = new LinkedHashMap<>();

  DatabaseRules(String name, Document.Database database, Layout layout, Findings findings) {
    this.name = name;
    this.database = database;
    this.layout = layout;
    this.findings = findings;
    this.placements = new Placements(layout, findings);
  }

  LogicalDatabase resolve() {
    name(name, database.path());
    findings.require(
        !name.equals("pgconcord"), Rule.DATABASE_RESERVED, database.path(), "the name is reserved");
    Placement fallback = fallback();
    database.schemas().forEach(this::schema);
    GsiRules rules = new GsiRules(name, database, tables, findings);
    List<Gsi> gsis = rules.resolve();
    return new LogicalDatabase(
        name.isEmpty() ? "?" : name, tables, gsis, rules.referrers(), schemaDefaults, fallback);
  }

  /**
   * Where undeclared tables are: the database's default, the cluster's, the authoritative group.
   */
  private Placement fallback() {
    String path = database.path() + ".default_shard_group";
    database.defaultGroup().ifPresent(uid -> placements.group(uid, path));
    ShardGroup authoritative = layout.authoritative();
    return placements
        .defaultGroup(database)
        .flatMap(group -> placements.of(group, Optional.empty(), false, path))
        .orElseGet(
            () -> new Placement.Unsharded(authoritative, authoritative.shards().get(0), false));
  }

  private void schema(String schemaName, Document.Schema schema) {
    name(schemaName, schema.path());
    findings.require(
        !SYSTEM_SCHEMAS.contains(schemaName),
        Rule.TABLE_SYSTEM_SCHEMA,
        schema.path(),
        "the schema \"" + schemaName + "\" is the system's own");
    String path = schema.path() + ".default_shard_group";
    schema
        .defaultGroup()
        .flatMap(uid -> placements.group(uid, path))
        .flatMap(group -> placements.of(group, Optional.empty(), false, path))
        .ifPresent(placement -> schemaDefaults.put(schemaName, placement));
    schema.tables().forEach((table, entry) -> table(schemaName, table, schema, entry));
    schema.references().forEach((table, entry) -> reference(schemaName, table, schema, entry));
    schema.sequences().forEach((sequence, entry) -> sequence(sequence, entry));
  }

  private void table(
      String schemaName, String table, Document.Schema schema, Document.Table entry) {
    if (!name(table, entry.path())) {
      return;
    }
    String path = entry.path() + ".shard_group";
    boolean resolves = entry.group().isPresent() || hasDefault(schema, entry.path());
    Optional<ShardGroup> group =
        entry
            .group()
            .map(uid -> placements.group(uid, path))
            .orElseGet(
                () -> resolves ? placements.defaultGroup(schema, database) : Optional.empty());
    group
        .flatMap(g -> placements.of(g, entry.index(), true, entry.path()))
        .ifPresent(placement -> tables.put(new TableName(schemaName, table), placement));
  }

  private void reference(
      String schemaName, String table, Document.Schema schema, Document.Reference entry) {
    if (!name(table, entry.path())) {
      return;
    }
    if (schema.tables().containsKey(table)) {
      findings.add(Rule.TABLE_TWICE, entry.path(), "\"" + table + "\" is declared as a table too");
      return;
    }
    TreeSet<ShardId> shards = new TreeSet<>();
    String path = entry.path() + ".shard_groups";
    if (entry.groups().isPresent()) {
      List<String> groups = entry.groups().get();
      findings.require(!groups.isEmpty(), Rule.TABLE_NO_GROUP, path, "the list is empty");
      groups.forEach(uid -> placements.group(uid, path).ifPresent(g -> shards.addAll(g.shards())));
    } else if (hasDefault(schema, entry.path())) {
      placements.defaultGroup(schema, database).ifPresent(g -> shards.addAll(g.shards()));
    }
    if (!shards.isEmpty()) {
      tables.put(new TableName(schemaName, table), new Placement.Reference(List.copyOf(shards)));
    }
  }

  private boolean hasDefault(Document.Schema schema, String path) {
    boolean has =
        schema.defaultGroup().isPresent()
            || database.defaultGroup().isPresent()
            || layout.defaultGroup().isPresent();
    findings.require(
        has, Rule.TABLE_NO_GROUP, path, "no shard group is named and no default resolves");
    return has;
  }

  private void sequence(String sequence, Document.Sequence entry) {
    name(sequence, entry.path());
    String path = entry.path() + ".shard_group";
    entry
        .group()
        .flatMap(uid -> placements.group(uid, path))
        .ifPresent(
            group ->
                findings.require(
                    group.shards().size() == 1,
                    Rule.SEQUENCE_GROUP,
                    path,
                    "the group \"" + group.uid() + "\" has several shards"));
  }

  /** Whether a name can be one of PostgreSQL's; a finding when not. */
  private boolean name(String text, String path) {
    int bytes = text.getBytes(StandardCharsets.UTF_8).length;
    boolean valid = bytes > 0 && bytes <= NAME_BYTES && text.indexOf('\0') < 0;
    findings.require(valid, Rule.NAME_INVALID, path, "a name of " + bytes + " bytes");
    return valid;
  }
}
