package org.pgconcord.gsi;

import java.util.List;
import java.util.Optional;
import org.pgconcord.config.catalog.RoutingState;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.schema.Column;
import org.pgconcord.config.schema.TableSchema;
import org.pgconcord.config.sharding.KeyLock;
import org.pgconcord.config.sharding.KeyType;
import org.pgconcord.config.sharding.ShardLocator;
import org.pgconcord.config.topology.Gsi;
import org.pgconcord.config.topology.Placement;
import org.pgconcord.config.topology.Topology;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;

/**
 * A declared index, resolved against the topology and the owner table's schema: everything that is
 * needed to derive, place, lock and store its entries. One unique index over one column, its lookup
 * table on one shard.
 *
 * @param owner the owner table as its shards describe it
 * @param keyColumn the indexed column; the lookup table's column of the same name is its key
 * @param shardKeyColumn the owner's shard key; a column of that name in the lookup table too
 * @param locator from a shard key to the shard of its rows
 */
public record LookupIndex(
    Gsi gsi,
    TableSchema owner,
    Column keyColumn,
    KeyType keyType,
    Column shardKeyColumn,
    KeyType shardKeyType,
    ShardId lookupShard,
    List<ShardId> ownerShards,
    ShardLocator locator) {

  public LookupIndex {
    ownerShards = List.copyOf(ownerShards);
  }

  /**
   * Resolves a declared index.
   *
   * @throws org.pgconcord.config.error.ConcordException when a table or column is missing on the
   *     shards, or has a type or collation for which entries cannot be kept true
   */
  public static LookupIndex resolve(RoutingState state, Gsi gsi) {
    String database = gsi.name().database();
    TableSchema owner =
        state
            .schema(database, gsi.owner())
            .orElseThrow(() -> refused(gsi, "table " + gsi.owner() + " is not on the shards"));
    return resolve(state.topology(), owner, gsi);
  }

  /** As {@link #resolve(RoutingState, Gsi)}, the owner's schema given. */
  public static LookupIndex resolve(Topology topology, TableSchema owner, Gsi gsi) {
    Topology.LogicalDatabase database =
        topology
            .database(gsi.name().database())
            .orElseThrow(() -> refused(gsi, "its database is not declared"));
    Placement.Lookup lookup = placement(gsi, database, gsi.lookup(), Placement.Lookup.class);
    Placement.Sharded sharded = placement(gsi, database, gsi.owner(), Placement.Sharded.class);
    Column key = column(gsi, owner, only(gsi, gsi.columns()));
    Column shardKey = column(gsi, owner, only(gsi, gsi.ownerShardKey()));
    KeyType shardKeyType = type(gsi, shardKey);
    return new LookupIndex(
        gsi,
        owner,
        key,
        type(gsi, key),
        shardKey,
        shardKeyType,
        lookup.shard(),
        sharded.group().shards(),
        new ShardLocator(sharded.group(), sharded.index(), shardKeyType));
  }

  private static <P extends Placement> P placement(
      Gsi gsi, Topology.LogicalDatabase database, TableName table, Class<P> kind) {
    Placement placement = database.placement(table);
    if (!kind.isInstance(placement)) {
      throw refused(gsi, "table " + table + " is not placed as the index needs it");
    }
    return kind.cast(placement);
  }

  private static String only(Gsi gsi, List<String> columns) {
    if (columns.size() != 1) {
      throw refused(gsi, "it has more than one indexed or shard-key column");
    }
    return columns.get(0);
  }

  private static Column column(Gsi gsi, TableSchema owner, String name) {
    return owner
        .column(name)
        .orElseThrow(() -> refused(gsi, "table " + owner.name() + " has no column " + name));
  }

  private static KeyType type(Gsi gsi, Column column) {
    Optional<KeyType> type =
        column.deterministic()
            ? KeyType.of(column.typeOid()).filter(KeyType::indexable)
            : Optional.empty();
    return type.orElseThrow(
        () ->
            refused(
                gsi,
                "column "
                    + column.name()
                    + " has type "
                    + column.type()
                    + (column.deterministic() ? "" : " with a nondeterministic collation")));
  }

  private static RuntimeException refused(Gsi gsi, String why) {
    return ErrorCode.GSI_UNUSABLE.because("index " + gsi.name() + " cannot be used: " + why);
  }

  public GsiName name() {
    return gsi.name();
  }

  /** The shard of the owner rows with this shard key. */
  public ShardId shardOf(String shardKey) {
    return locator.locate(shardKey);
  }

  /** True when an owner row with this shard key and its entry are on one server. */
  public boolean sameServer(String shardKey) {
    return shardOf(shardKey).equals(lookupShard);
  }

  /** The number of the key's advisory lock on an owner shard (PROTOCOL 1.2). */
  public long keyLock(String key) {
    return KeyLock.of(gsi.name(), keyType, key);
  }
}
