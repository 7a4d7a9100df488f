package org.pgconcord.gsi;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
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
import org.pgconcord.config.value.Tuple;

/**
 * A declared index, resolved against the topology and the owner table's schema: everything that is
 * needed to derive, place, lock and store its entries.
 *
 * <p>An entry has the indexed columns, the owner's shard key, and the owner's primary key where the
 * index stores it; a column that two of them name counts once, at its first place. What tells two
 * entries apart is their <i>identity</i>, the lookup table's primary key: the indexed columns of a
 * unique index, all columns of any other. The rest is the <i>holder</i>, which names the owner row
 * of a unique key.
 *
 * <p>Where the lookup table is sharded, an identity's entry is on the shard of its key ({@link
 * #lookupShard}): all that this module says of entries, it says of one identity on that shard.
 *
 * @param owner the owner table as its shards describe it
 * @param columns the lookup table's columns, the identity's first
 * @param places from an identity to the shard of its entry
 * @param locator from a shard key to the shard of its rows
 */
public record LookupIndex(
    Gsi gsi,
    TableSchema owner,
    List<IndexColumn> columns,
    EntryPlaces places,
    List<ShardId> ownerShards,
    ShardLocator locator) {

  public LookupIndex {
    columns = List.copyOf(columns);
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
    List<IndexColumn> columns =
        stored(gsi).stream().map(name -> column(gsi, column(gsi, owner, name))).toList();
    List<KeyType> shardKeyTypes =
        gsi.ownerShardKey().stream()
            .map(name -> column(gsi, column(gsi, owner, name)).type())
            .toList();
    return new LookupIndex(
        gsi,
        owner,
        columns,
        EntryPlaces.of(lookup, columns.subList(0, gsi.columns().size())),
        sharded.group().shards(),
        new ShardLocator(sharded.group(), sharded.index(), shardKeyTypes));
  }

  private static <P extends Placement> P placement(
      Gsi gsi, Topology.LogicalDatabase database, TableName table, Class<P> kind) {
    Placement placement = database.placement(table);
    if (!kind.isInstance(placement)) {
      throw refused(gsi, "table " + table + " is not placed as the index needs it");
    }
    return kind.cast(placement);
  }

  private static Set<String> stored(Gsi gsi) {
    Set<String> names = new LinkedHashSet<>(gsi.columns());
    names.addAll(gsi.ownerShardKey());
    if (names.size() < gsi.columns().size() + gsi.ownerShardKey().size()) {
      throw refused(gsi, "a shard-key column is indexed");
    }
    names.addAll(gsi.ownerPrimaryKey());
    return names;
  }

  private static Column column(Gsi gsi, TableSchema owner, String name) {
    return owner
        .column(name)
        .orElseThrow(() -> refused(gsi, "table " + owner.name() + " has no column " + name));
  }

  private static IndexColumn column(Gsi gsi, Column column) {
    Optional<KeyType> type =
        column.deterministic() ? column.keyType().filter(KeyType::indexable) : Optional.empty();
    return new IndexColumn(
        column,
        type.orElseThrow(
            () ->
                refused(
                    gsi,
                    "column "
                        + column.name()
                        + " has type "
                        + column.type()
                        + (column.deterministic() ? "" : " with a nondeterministic collation"))));
  }

  private static RuntimeException refused(Gsi gsi, String why) {
    return ErrorCode.GSI_UNUSABLE.because("index " + gsi.name() + " cannot be used: " + why);
  }

  public GsiName name() {
    return gsi.name();
  }

  // --- columns ---------------------------------------------------------------------------------

  /** The indexed columns. */
  public List<IndexColumn> key() {
    return columns.subList(0, gsi.columns().size());
  }

  /** The columns of the owner's shard key. */
  public List<IndexColumn> shardKey() {
    int from = gsi.columns().size();
    return columns.subList(from, from + gsi.ownerShardKey().size());
  }

  /** The columns of the lookup table's primary key. */
  public List<IndexColumn> identity() {
    return gsi.unique() ? key() : columns;
  }

  /** The columns beside the identity. */
  public List<IndexColumn> holder() {
    return columns.subList(identity().size(), columns.size());
  }

  /** The columns in which an owner row may not have NULL. */
  public List<IndexColumn> neverNull() {
    return gsi.ignoreNull() ? columns.subList(key().size(), columns.size()) : columns;
  }

  private static List<KeyType> types(List<IndexColumn> columns) {
    return columns.stream().map(IndexColumn::type).toList();
  }

  // --- entries ---------------------------------------------------------------------------------

  /** The entry with these values, in the order of {@link #columns}. */
  public Entry entry(Tuple row) {
    int identity = identity().size();
    return new Entry(row.part(0, identity), row.part(identity, row.size()));
  }

  /** The indexed values. */
  public Tuple keyOf(Entry entry) {
    return entry.row().part(0, key().size());
  }

  /** The shard key of the owner row. */
  public Tuple shardKeyOf(Entry entry) {
    int from = key().size();
    return entry.row().part(from, from + shardKey().size());
  }

  /** What names the owner row: its shard key, then what more is stored of its primary key. */
  public Tuple ownerOf(Entry entry) {
    return entry.row().part(key().size(), columns.size());
  }

  /** All shards that have entries or owners. */
  public Set<ShardId> shards() {
    Set<ShardId> shards = new TreeSet<>(ownerShards);
    shards.addAll(lookupShards());
    return shards;
  }

  /** The shards that hold the lookup table, in one order for all who go over them. */
  public List<ShardId> lookupShards() {
    return places.shards();
  }

  /**
   * The indexed columns that shard the lookup table, in its shard index's order; none of one shard.
   */
  public List<IndexColumn> lookupShardKey() {
    return places.shardKey().stream().map(columns::get).toList();
  }

  /** The shard of the entries with these values of {@link #lookupShardKey}. */
  public ShardId lookupShardOf(Tuple lookupShardKey) {
    return places.ofShardKey(lookupShardKey);
  }

  /** All that decides where entries are, as text: other text, other places. */
  public String lookupDefinition() {
    return places.definition();
  }

  /** The shard of an identity's entry: nobody writes or looks for it on another one. */
  public ShardId lookupShard(Tuple identity) {
    return places.of(identity);
  }

  /** The shard of the entry's owner row. */
  public ShardId shardOf(Entry entry) {
    return shardOf(shardKeyOf(entry));
  }

  /** The shard of the owner rows with this shard key. */
  public ShardId shardOf(Tuple shardKey) {
    return locator.locate(shardKey.values());
  }

  /** The number of an identity's advisory lock on an owner shard. */
  public long keyLock(Tuple identity) {
    return KeyLock.of(gsi.name(), types(identity()), identity);
  }

  /** Equal for two identities that are equal in PostgreSQL, whatever their text (1.0 and 1.00). */
  public byte[] canonical(Tuple identity) {
    return KeyLock.canonical(types(identity()), identity);
  }

  /** As {@link #canonical}, of the indexed values alone. */
  public byte[] canonicalKey(Tuple key) {
    return KeyLock.canonical(types(key()), key);
  }
}
