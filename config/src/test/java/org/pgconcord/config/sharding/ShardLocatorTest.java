package org.pgconcord.config.sharding;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.topology.KeyRange;
import org.pgconcord.config.topology.RoutingSpace;
import org.pgconcord.config.topology.ShardGroup;
import org.pgconcord.config.topology.ShardIndex;
import org.pgconcord.config.topology.ShardIndexType;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.Tuple;

class ShardLocatorTest {
  private static final ShardIndex INDEX =
      new ShardIndex("i", ShardIndexType.XXHASH, List.of("id"), OptionalLong.empty());
  private static final ShardGroup THIRDS =
      new ShardGroup(
          "g",
          Optional.of("i"),
          List.of(range("a", "", "5555"), range("b", "5555", "aaaa"), range("c", "aaaa", "")));

  private final ShardLocator locator = new ShardLocator(THIRDS, INDEX, KeyType.INT);

  private static KeyRange range(String shard, String start, String end) {
    return new KeyRange(new ShardId(shard), start, end);
  }

  @Test
  void aRangeHoldsItsStartAndNotItsEnd() {
    assertThat(locator.shardOf(0x5554_FFFF_FFFF_FFFFL).uid()).isEqualTo("a");
    assertThat(locator.shardOf(0x5555_0000_0000_0000L).uid()).isEqualTo("b");
    assertThat(locator.shardOf(0xAAA9_FFFF_FFFF_FFFFL).uid()).isEqualTo("b");
    assertThat(locator.shardOf(0xAAAA_0000_0000_0000L).uid()).isEqualTo("c");
    assertThat(locator.shardOf(-1L).uid()).isEqualTo("c");
    assertThat(locator.shardOf(0L).uid()).isEqualTo("a");
  }

  @Test
  void theShardIsTheOneWhoseRangeHoldsTheHash() {
    RoutingSpace space = RoutingSpace.of(INDEX);
    Random random = new Random(7);
    for (int i = 0; i < 10_000; i++) {
      long hash = random.nextLong();
      List<KeyRange> holding =
          THIRDS.keyRanges().stream().filter(r -> space.holds(r, hash)).toList();
      assertThat(holding).hasSize(1);
      assertThat(locator.shardOf(hash)).isEqualTo(holding.get(0).shard());
    }
  }

  @Test
  void keysSpreadEvenly() {
    int[] perShard = new int[3];
    for (int key = 0; key < 30_000; key++) {
      perShard[locator.locate(Integer.toString(key)).uid().charAt(0) - 'a']++;
    }
    for (int keys : perShard) {
      assertThat(keys).isBetween(9_500, 10_500);
    }
  }

  @Test
  void rangesOfIntegersAreReadInSignedOrder() {
    ShardIndex index =
        new ShardIndex("r", ShardIndexType.RANGE, List.of("id"), OptionalLong.empty());
    ShardGroup group =
        new ShardGroup(
            "g",
            Optional.of("r"),
            List.of(
                range("a", "", "-80"),
                range("b", "-80", "64"),
                range("c", "64", "65"),
                range("b", "65", "4000000000000000"),
                range("d", "4000000000000000", "")));
    ShardLocator ranges = new ShardLocator(group, index, KeyType.INT);
    assertThat(shards(ranges, "-9223372036854775808", "-129", "-128", "-1", "0", "99", "100"))
        .containsExactly("a", "a", "b", "b", "b", "b", "c");
    assertThat(shards(ranges, "101", "4611686018427387903", "4611686018427387904", "+7", " 100 "))
        .containsExactly("b", "b", "d", "b", "c");
  }

  @Test
  void theBucketIsTheNonNegativeRemainder() {
    ShardIndex index =
        new ShardIndex("m", ShardIndexType.MODULO, List.of("id"), OptionalLong.of(12));
    ShardGroup group =
        new ShardGroup(
            "g",
            Optional.of("m"),
            List.of(range("b", "5", "a"), range("a", "0", "5"), range("c", "a", "c")));
    ShardLocator buckets = new ShardLocator(group, index, KeyType.INT);
    assertThat(shards(buckets, "0", "4", "5", "9", "10", "11", "12", "124"))
        .containsExactly("a", "a", "b", "b", "c", "c", "a", "a");
    assertThat(shards(buckets, "-1", "-2", "-3", "-12", "-13", "-9223372036854775808"))
        .containsExactly("c", "c", "b", "a", "c", "a");
    assertThat(buckets.routingValue(List.of("-9223372036854775808"))).isEqualTo(4);
  }

  @Test
  void rangeAndModuloTakeIntegersOnly() {
    ShardIndex range =
        new ShardIndex("r", ShardIndexType.RANGE, List.of("id"), OptionalLong.empty());
    for (KeyType type : KeyType.values()) {
      assertThat(ShardLocator.accepts(range, List.of(type))).isEqualTo(type == KeyType.INT);
      assertThat(ShardLocator.accepts(INDEX, List.of(type))).isTrue();
    }
    assertThat(ShardLocator.accepts(INDEX, List.of())).isFalse();
    assertThat(ShardLocator.accepts(INDEX, List.of(KeyType.INT, KeyType.INT))).isFalse();
  }

  private static List<String> shards(ShardLocator locator, String... keys) {
    return Stream.of(keys).map(k -> locator.locate(k).uid()).toList();
  }

  @Test
  void aKeyLockDependsOnTheIndexAndOnTheValueNotItsSpelling() {
    GsiName one = new GsiName("app", "by_price");
    GsiName other = new GsiName("app", "by_cost");
    long lock = KeyLock.of(one, List.of(KeyType.NUMERIC), Tuple.of("1.0"));
    assertThat(KeyLock.of(one, List.of(KeyType.NUMERIC), Tuple.of("1.00"))).isEqualTo(lock);
    assertThat(KeyLock.of(one, List.of(KeyType.NUMERIC), Tuple.of("1.01"))).isNotEqualTo(lock);
    assertThat(KeyLock.of(other, List.of(KeyType.NUMERIC), Tuple.of("1.0"))).isNotEqualTo(lock);
  }

  @Test
  void theKeyLockIsFixed() {
    assertThat(
            KeyLock.of(
                new GsiName("app", "by_email"),
                List.of(KeyType.TEXT),
                Tuple.of("adam@example.com")))
        .isEqualTo(
            XxHash.hash64(
                "app\0by_email\0adam@example.com"
                    .getBytes(java.nio.charset.StandardCharsets.UTF_8)));
  }

  @Test
  void aKeyLockOfSeveralValuesIsFixedToo() {
    byte[] bytes =
        HexFormat.of()
            .parseHex("61707000" + "62795f6e00" + "00000003616e6e" + "000000080000000000000007");
    List<KeyType> types = List.of(KeyType.TEXT, KeyType.INT);
    GsiName gsi = new GsiName("app", "by_n");

    assertThat(KeyLock.of(gsi, types, Tuple.of("ann", "7"))).isEqualTo(XxHash.hash64(bytes));
    assertThat(KeyLock.canonical(List.of(KeyType.TEXT, KeyType.TEXT), Tuple.of("a", "bc")))
        .isNotEqualTo(KeyLock.canonical(List.of(KeyType.TEXT, KeyType.TEXT), Tuple.of("ab", "c")));
  }
}
