package org.pgconcord.config.check;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.pgconcord.config.schema.Column;
import org.pgconcord.config.schema.TableSchema;
import org.pgconcord.config.schema.UniqueKey;
import org.pgconcord.config.sharding.KeyType;
import org.pgconcord.config.topology.Finding;
import org.pgconcord.config.topology.Findings;
import org.pgconcord.config.topology.Gsi;
import org.pgconcord.config.topology.Placement;
import org.pgconcord.config.topology.Rule;
import org.pgconcord.config.topology.Topology.LogicalDatabase;
import org.pgconcord.config.value.ShardId;

/**
 * What a GSI needs before it is built. Without the unique index two rows of one tenant could be one
 * entry unseen; without the leading index each read through the GSI would scan the owner; without
 * the identity a change would not say which entry it ends.
 */
public final class GsiCheck {
  private final Gsi gsi;
  private final Map<ShardId, TableSchema> owners;
  private final Findings findings = new Findings();

  private GsiCheck(Gsi gsi, Map<ShardId, TableSchema> owners) {
    this.gsi = gsi;
    this.owners = owners;
  }

  /** All findings about a GSI of a database; none about tables that are not there at all. */
  public static List<Finding> check(Gsi gsi, LogicalDatabase database, Survey survey) {
    Map<ShardId, TableSchema> owners = new TreeMap<>(survey.table(gsi.owner()));
    owners.keySet().retainAll(TopologyCheck.shardsOf(database.placement(gsi.owner())));
    Map<ShardId, TableSchema> lookups = survey.table(gsi.lookup());
    lookups.keySet().retainAll(TopologyCheck.shardsOf(database.placement(gsi.lookup())));
    List<Finding> all = new ArrayList<>(check(gsi, owners, lookups.values()));
    all.addAll(routing(gsi, database, owners));
    return all;
  }

  /**
   * The lookup table's columns are its owner's by a rule of their own; so the owner's say, before
   * there is a lookup table, whether keys can be routed.
   */
  private static List<Finding> routing(
      Gsi gsi, LogicalDatabase database, Map<ShardId, TableSchema> owners) {
    if (database.placement(gsi.lookup()) instanceof Placement.Lookup lookup
        && lookup.sharding().isPresent()) {
      return TableCheck.shardKey(gsi.owner(), lookup.sharding().get().index(), owners).stream()
          .filter(finding -> finding.severity() == Finding.Severity.ERROR)
          .toList();
    }
    return List.of();
  }

  /**
   * All findings about a GSI.
   *
   * @param owners the owner table on each of its shards
   * @param lookups the lookup table on each of its shards where it exists already
   */
  public static List<Finding> check(
      Gsi gsi, Map<ShardId, TableSchema> owners, Collection<TableSchema> lookups) {
    GsiCheck check = new GsiCheck(gsi, new TreeMap<>(owners));
    check.columns();
    check.onEachShard(
        Rule.GSI_OWNER_UNIQUE, check::hasUniqueIndex, "no unique index proves one row per entry");
    check.onEachShard(
        Rule.GSI_OWNER_INDEX,
        check::hasLeadingIndex,
        "no index finds a row by the indexed columns");
    check.identity();
    check.storage();
    lookups.forEach(check::lookup);
    return check.findings.all();
  }

  private void columns() {
    Optional<TableSchema> owner = owners.values().stream().findFirst();
    if (owner.isEmpty()) {
      return;
    }
    for (String name : stored()) {
      String path = gsi.owner() + "." + name;
      Optional<Column> column = owner.get().column(name);
      findings.require(
          column.isPresent(), Rule.GSI_COLUMN_MISSING, path, "the owner has no such column");
      column.ifPresent(c -> column(path, c));
    }
  }

  private void column(String path, Column column) {
    findings.require(
        column.keyType().map(KeyType::indexable).orElse(false),
        Rule.GSI_COLUMN_TYPE,
        path,
        "the type " + column.type() + " cannot be indexed");
    findings.require(
        column.deterministic(),
        Rule.GSI_COLUMN_COLLATION,
        path,
        "under the collation " + column.collation() + " different texts can be equal");
    findings.require(
        !column.generated(), Rule.GSI_COLUMN_GENERATED, path, "the column is a generated one");
  }

  private void onEachShard(Rule rule, Predicate<TableSchema> holds, String message) {
    SortedSet<ShardId> failing = new TreeSet<>();
    owners.forEach(
        (shard, owner) -> {
          if (!holds.test(owner)) {
            failing.add(shard);
          }
        });
    findings.require(failing.isEmpty(), rule, gsi.owner().toString(), message + " on " + failing);
  }

  /** Partitions are named: what is set for their root means nothing to them. */
  private void identity() {
    SortedSet<String> partitions = new TreeSet<>();
    owners.values().stream()
        .filter(owner -> owner.relkind() == 'p' && !identifies(owner))
        .forEach(owner -> partitions.addAll(owner.family().untold()));
    onEachShard(
        Rule.GSI_REPLICA_IDENTITY,
        this::identifies,
        "a change%s does not carry the old values of key, shard key and indexed columns"
            .formatted(partitions.isEmpty() ? "" : " of " + String.join(", ", partitions)));
  }

  private void storage() {
    owners.forEach(
        (shard, owner) -> {
          unseen(shard, "unlogged", owner.family().unlogged());
          unseen(shard, "foreign", owner.family().foreign());
        });
  }

  private void unseen(ShardId shard, String kind, List<String> relations) {
    findings.require(
        relations.isEmpty(),
        Rule.GSI_OWNER_STORAGE,
        gsi.owner().toString(),
        "rows are in %s tables on %s: %s".formatted(kind, shard, String.join(", ", relations)));
  }

  /** A key among the stored columns: then no two rows are one entry. */
  private boolean hasUniqueIndex(TableSchema owner) {
    return owner.uniqueKeys().stream()
        .filter(UniqueKey::usable)
        .anyMatch(key -> stored().containsAll(key.columns()));
  }

  private boolean hasLeadingIndex(TableSchema owner) {
    return owner.indexes().stream()
        .anyMatch(
            index ->
                leads(index, Set.copyOf(gsi.columns()))
                    || (leads(index, Set.copyOf(gsi.ownerShardKey()))
                        && leads(index, shardKeyAndKey())));
  }

  private static boolean leads(List<String> index, Set<String> columns) {
    return index.size() >= columns.size()
        && Set.copyOf(index.subList(0, columns.size())).equals(columns);
  }

  private boolean identifies(TableSchema owner) {
    Set<String> needed = new HashSet<>(stored());
    needed.addAll(owner.primaryKey());
    return owner.replicaIdentityColumns().containsAll(needed);
  }

  private Set<String> shardKeyAndKey() {
    Set<String> columns = new LinkedHashSet<>(gsi.columns());
    columns.addAll(gsi.ownerShardKey());
    return columns;
  }

  /** The columns of an entry, each once. */
  private Set<String> stored() {
    Set<String> columns = shardKeyAndKey();
    columns.addAll(gsi.ownerPrimaryKey());
    return columns;
  }

  private void lookup(TableSchema lookup) {
    String path = gsi.lookup().toString();
    List<String> identity = gsi.unique() ? gsi.columns() : List.copyOf(stored());
    findings.require(
        Set.copyOf(lookup.primaryKey()).equals(Set.copyOf(identity))
            && leads(lookup.primaryKey(), Set.copyOf(gsi.columns())),
        Rule.GSI_LOOKUP_PRIMARY_KEY,
        path,
        "its primary key is " + lookup.primaryKey() + ", the index needs " + identity);
    Optional<TableSchema> owner = owners.values().stream().findFirst();
    for (String name : stored()) {
      Optional<String> wanted = owner.flatMap(o -> o.column(name)).map(GsiCheck::typeOf);
      Optional<String> actual = lookup.column(name).map(GsiCheck::typeOf);
      findings.require(
          actual.isPresent() && (wanted.isEmpty() || wanted.equals(actual)),
          Rule.GSI_LOOKUP_COLUMNS,
          path,
          "column \""
              + name
              + "\" is "
              + actual.orElse("absent")
              + ", the owner's "
              + wanted.orElse("absent"));
    }
    findings.require(
        !gsi.covering() || lookup.column(Gsi.PENDING).isPresent(),
        Rule.GSI_COVERING_COLUMN,
        path,
        "covering reads need its column \"" + Gsi.PENDING + "\"");
    for (Column column : lookup.columns()) {
      findings.require(
          stored().contains(column.name()) || !column.notNull() || column.hasDefault(),
          Rule.GSI_LOOKUP_COLUMNS,
          path,
          "column \"" + column.name() + "\" must be given a value and an entry has none for it");
    }
  }

  private static String typeOf(Column column) {
    return column.base().type()
        + (column.collation() == null ? "" : " collate " + column.collation());
  }
}
