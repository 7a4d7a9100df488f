package org.pgconcord.gsi;

import java.util.List;
import java.util.Optional;
import org.pgconcord.config.sharding.KeyType;
import org.pgconcord.config.sharding.ShardLocator;
import org.pgconcord.config.topology.Placement;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.Tuple;

/**
 * Where the entries of one index are: all on one shard, or each on the shard that the lookup
 * table's own shard index gives to its key. That index reads indexed columns alone, so entries of
 * one key are always on one shard, and what is true of a key can be decided there.
 */
final class EntryPlaces {
  /**
   * How a key is routed.
   *
   * @param sharding as the document has it
   * @param at the places of the shard index's columns among the indexed columns
   */
  private record Routing(Placement.Sharded sharding, ShardLocator locator, List<Integer> at) {
    ShardId shardOf(Tuple key) {
      return locator.locate(at.stream().map(key::get).toList());
    }
  }

  private final List<ShardId> shards;
  private final Optional<Routing> routing;

  private EntryPlaces(List<ShardId> shards, Optional<Routing> routing) {
    this.shards = List.copyOf(shards);
    this.routing = routing;
  }

  /**
   * The places of a lookup table.
   *
   * @param key the indexed columns; those that shard the lookup table are among them
   * @throws org.pgconcord.config.error.ConcordException for types that its index does not accept
   */
  static EntryPlaces of(Placement.Lookup lookup, List<IndexColumn> key) {
    return new EntryPlaces(lookup.shards(), lookup.sharding().map(s -> routing(s, key)));
  }

  private static Routing routing(Placement.Sharded sharding, List<IndexColumn> key) {
    List<String> names = key.stream().map(IndexColumn::name).toList();
    List<Integer> at = sharding.index().columns().stream().map(names::indexOf).toList();
    List<KeyType> types = at.stream().map(i -> key.get(i).type()).toList();
    return new Routing(sharding, new ShardLocator(sharding.group(), sharding.index(), types), at);
  }

  /** The shards that hold entries, in one order for all who go over them. */
  List<ShardId> shards() {
    return shards;
  }

  /** All that decides where entries are, as text: other text, other places. */
  String definition() {
    return routing.map(r -> r.sharding().toString()).orElseGet(() -> shards.get(0).uid());
  }

  /** The places of the shard key's columns among the indexed ones; none of one shard. */
  List<Integer> shardKey() {
    return routing.map(Routing::at).orElse(List.of());
  }

  /** The shard of entries by the values of the shard key alone. */
  ShardId ofShardKey(Tuple shardKey) {
    return routing.map(r -> r.locator().locate(shardKey.values())).orElseGet(() -> shards.get(0));
  }

  /** The shard of an identity's entries; an identity begins with the indexed values. */
  ShardId of(Tuple identity) {
    return routing.map(r -> r.shardOf(identity)).orElseGet(() -> shards.get(0));
  }
}
