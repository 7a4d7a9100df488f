package org.pgconcord.config.sharding;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.topology.KeyFunction;
import org.pgconcord.config.topology.KeyRange;
import org.pgconcord.config.topology.RoutingSpace;
import org.pgconcord.config.topology.ShardGroup;
import org.pgconcord.config.topology.ShardIndex;
import org.pgconcord.config.topology.ShardIndexType;
import org.pgconcord.config.value.ShardId;

/**
 * Finds the shard of a key: computes its routing value as the shard index says and looks that up
 * among the starts of the group's ranges. A checked group has neither gap nor overlap, so the last
 * start that is not above the value owns it. Immutable and safe to share.
 */
public final class ShardLocator {
  private final String group;
  private final ShardIndex index;
  private final List<KeyType> types;
  private final RoutingSpace space;

  /** Positions of the ranges' starts, ascending; {@link #shards} in the same order. */
  private final long[] starts;

  private final List<ShardId> shards;

  /**
   * A locator for tables of this group and index.
   *
   * @param types of the index's columns, in their order
   * @throws org.pgconcord.config.error.ConcordException for types that the index does not accept
   */
  public ShardLocator(ShardGroup group, ShardIndex index, List<KeyType> types) {
    if (!accepts(index, types)) {
      throw ErrorCode.TOPOLOGY_INVALID.because(
          "shard index %s does not take a key of types %s".formatted(index.name(), types));
    }
    this.group = group.uid();
    this.index = index;
    this.types = List.copyOf(types);
    this.space = RoutingSpace.of(index);
    List<KeyRange> ranges =
        group.keyRanges().stream().sorted(Comparator.comparingLong(space::start)).toList();
    this.starts = ranges.stream().mapToLong(space::start).toArray();
    this.shards = ranges.stream().map(KeyRange::shard).toList();
  }

  /** As above, for a key of one column. */
  public ShardLocator(ShardGroup group, ShardIndex index, KeyType type) {
    this(group, index, List.of(type));
  }

  /** The group's uid. */
  public String group() {
    return group;
  }

  /** Whether columns of these types have routing values under an index. */
  public static boolean accepts(ShardIndex index, List<KeyType> types) {
    boolean eachColumn =
        types.size() == index.columns().size()
            && IntStream.range(0, types.size())
                .allMatch(
                    i ->
                        index.functions().get(i) == KeyFunction.NONE
                            || types.get(i) == KeyType.TEXT);
    return index.type() == ShardIndexType.XXHASH
        ? eachColumn
        : eachColumn && types.equals(List.of(KeyType.INT));
  }

  /** The types of the key's columns. */
  public List<KeyType> types() {
    return types;
  }

  /** The shard of a key given as PostgreSQL texts of its columns, in the index's order. */
  public ShardId locate(List<String> pgTexts) {
    return shardOf(routingValue(pgTexts));
  }

  /** The shard of a key of one column. */
  public ShardId locate(String pgText) {
    return locate(List.of(pgText));
  }

  /**
   * The shard of a key whose texts are of other types than the columns', co-located with them one
   * by one: a {@code double precision} that equals a {@code real} is printed with other digits.
   */
  public ShardId locateAs(List<KeyType> textTypes, List<String> pgTexts) {
    return shardOf(routingValue(textTypes, pgTexts));
  }

  /**
   * The routing value of a key: XXH3-64 of the canonical form, to be read as unsigned; the integer
   * itself; or the bucket, which is not negative for negative keys either.
   */
  public long routingValue(List<String> pgTexts) {
    return routingValue(types, pgTexts);
  }

  private long routingValue(List<KeyType> textTypes, List<String> pgTexts) {
    return switch (index.type()) {
      case XXHASH -> XxHash.hash64(ShardKeyEncoder.encode(textTypes, passed(pgTexts)));
      case RANGE -> ShardKeyEncoder.integer(pgTexts.get(0));
      case MODULO ->
          Math.floorMod(ShardKeyEncoder.integer(pgTexts.get(0)), index.modulus().orElseThrow());
    };
  }

  private List<String> passed(List<String> pgTexts) {
    return IntStream.range(0, pgTexts.size())
        .mapToObj(i -> index.functions().get(i).apply(pgTexts.get(i)))
        .toList();
  }

  /** The shard whose range holds a routing value. */
  public ShardId shardOf(long routingValue) {
    return shards.get(rangeOf(routingValue));
  }

  private int rangeOf(long routingValue) {
    int found = Arrays.binarySearch(starts, space.position(routingValue));
    return found >= 0 ? found : -found - 2;
  }

  /**
   * The shards of all keys between two, both included, of an index of type {@code range}: under any
   * other the keys between are anywhere.
   */
  public Set<ShardId> shardsOf(long least, long most) {
    if (index.type() != ShardIndexType.RANGE || least > most) {
      throw new IllegalArgumentException("no range of keys");
    }
    return new TreeSet<>(shards.subList(rangeOf(least), rangeOf(most) + 1));
  }
}
