package org.pgconcord.daemon.doctor;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.pgconcord.config.schema.TableSchema;
import org.pgconcord.config.schema.UniqueKey;
import org.pgconcord.config.topology.Gsi;
import org.pgconcord.config.value.Identifiers;
import org.pgconcord.config.value.ShardId;

/**
 * What an index needs of its owner table on one shard before it is built. Pure. Without the unique
 * index two rows of one shard key could share an entry unseen; without the replica identity the
 * stream would not say which entry a deleted row had.
 */
public final class OwnerChecks {
  private OwnerChecks() {}

  /**
   * @param mayPublish the service role owns the table or is a member of its owner
   */
  public static List<Check> of(
      Gsi gsi, ShardId shard, Optional<TableSchema> owner, boolean mayPublish) {
    String where = shard + " " + gsi.owner();
    if (owner.isEmpty()) {
      return List.of(
          Check.failed(
              "owner/missing",
              where,
              "the table is not there",
              "Create " + gsi.owner().quoted() + " on this shard as on the others."));
    }
    TableSchema table = owner.get();
    List<Check> checks = new ArrayList<>();
    checks.add(ordinary(where, table));
    checks.add(unique(gsi, where, table));
    checks.add(findable(gsi, where, table));
    checks.add(identity(gsi, where, table));
    checks.add(
        Check.require(
            mayPublish,
            "owner/publish",
            where,
            "the service role may publish it",
            "the service role is no member of the table's owner and cannot publish it",
            "Run what \"pgconcord doctor --print-grants\" prints."));
    return checks;
  }

  private static Check ordinary(String where, TableSchema table) {
    return Check.require(
        table.relkind() == 'r' || table.relkind() == 'p',
        "owner/kind",
        where,
        "an ordinary table",
        "it is not a table (relkind " + table.relkind() + ")",
        "Declare the index on a table.");
  }

  private static Check unique(Gsi gsi, String where, TableSchema table) {
    Set<String> key = Set.copyOf(gsi.columns());
    Set<String> withShardKey = new HashSet<>(key);
    withShardKey.addAll(gsi.ownerShardKey());
    boolean met =
        table.uniqueKeys().stream()
            .filter(UniqueKey::usable)
            .map(unique -> Set.copyOf(unique.columns()))
            .anyMatch(columns -> columns.equals(key) || columns.equals(withShardKey));
    return Check.require(
        met,
        "owner/unique-index",
        where,
        "a unique index covers the indexed columns",
        "no valid, whole unique index over the indexed columns, alone or with the shard key",
        "CREATE UNIQUE INDEX CONCURRENTLY ON "
            + table.name().quoted()
            + " ("
            + list(gsi.ownerShardKey(), gsi.columns())
            + ");");
  }

  private static Check findable(Gsi gsi, String where, TableSchema table) {
    List<String> byShardKey = new ArrayList<>(gsi.ownerShardKey());
    byShardKey.addAll(gsi.columns());
    boolean met =
        table.indexes().stream()
            .anyMatch(index -> leads(index, gsi.columns()) || leads(index, byShardKey));
    return Check.require(
        met,
        "owner/leading-index",
        where,
        "an index leads with the indexed columns, or with shard key and them",
        "no index leads with the indexed columns, or with shard key and them",
        "CREATE INDEX CONCURRENTLY ON "
            + table.name().quoted()
            + " ("
            + list(gsi.ownerShardKey(), gsi.columns())
            + ");");
  }

  private static Check identity(Gsi gsi, String where, TableSchema table) {
    Set<String> needed = new HashSet<>(table.primaryKey());
    needed.addAll(gsi.ownerShardKey());
    needed.addAll(gsi.columns());
    boolean met =
        table.replicaIdentity() == 'f'
            || (table.replicaIdentity() != 'n'
                && table.replicaIdentityColumns().containsAll(needed));
    return Check.require(
        met,
        "owner/replica-identity",
        where,
        "the replica identity tells the old entry",
        "the replica identity does not carry primary key, shard key and indexed columns",
        "ALTER TABLE " + table.name().quoted() + " REPLICA IDENTITY FULL;");
  }

  private static boolean leads(List<String> index, List<String> columns) {
    return index.size() >= columns.size() && index.subList(0, columns.size()).equals(columns);
  }

  private static String list(List<String> first, List<String> then) {
    List<String> all = new ArrayList<>(first);
    all.addAll(then);
    return String.join(", ", all.stream().map(Identifiers::quote).toList());
  }
}
