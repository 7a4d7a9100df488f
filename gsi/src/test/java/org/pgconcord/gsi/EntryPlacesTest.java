package org.pgconcord.gsi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.pgconcord.testkit.fixture.TwoShards.A;
import static org.pgconcord.testkit.fixture.TwoShards.B;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.schema.Column;
import org.pgconcord.config.sharding.KeyType;
import org.pgconcord.config.topology.KeyRange;
import org.pgconcord.config.topology.Placement;
import org.pgconcord.config.topology.ShardGroup;
import org.pgconcord.config.topology.ShardIndex;
import org.pgconcord.config.topology.ShardIndexType;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.Tuple;

/** An index over a region and an email; an identity may go on behind them. */
class EntryPlacesTest {
  private static final GsiName GSI = new GsiName("app", "by_region_and_email");
  private static final List<IndexColumn> KEY =
      List.of(
          new IndexColumn(
              new Column("region", 1, 23, "integer", null, true, true, false, false), KeyType.INT),
          new IndexColumn(
              new Column("email", 2, 25, "text", "default", true, true, false, false),
              KeyType.TEXT));

  private static EntryPlaces places(
      ShardIndexType type, List<String> columns, OptionalLong modulus, String bound) {
    ShardGroup group =
        new ShardGroup(
            "g", Optional.empty(), List.of(new KeyRange(A, "", bound), new KeyRange(B, bound, "")));
    ShardIndex index = new ShardIndex("i", type, columns, modulus);
    return EntryPlaces.of(Placement.Lookup.over(GSI, new Placement.Sharded(group, index)), KEY);
  }

  private static EntryPlaces byHash(String... columns) {
    return places(ShardIndexType.XXHASH, List.of(columns), OptionalLong.empty(), "80");
  }

  private static ShardId of(EntryPlaces places, String region, String email) {
    ShardId place = places.of(Tuple.of(region, email));
    assertThat(places.of(Tuple.of(region, email, "7", "8"))).isEqualTo(place);
    return place;
  }

  @Test
  void oneShardHasAll() {
    EntryPlaces places = EntryPlaces.of(Placement.Lookup.on(GSI, B), KEY);
    assertThat(places.shards()).containsExactly(B);
    assertThat(places.shardKey()).isEmpty();
    assertThat(of(places, "1", "x")).isEqualTo(B);
  }

  @Test
  void aPartOfTheKeyDecidesWhateverTheRestIs() {
    EntryPlaces places = byHash("email");
    assertThat(places.shards()).containsExactly(A, B);
    assertThat(places.shardKey()).containsExactly(1);
    for (int i = 0; i < 50; i++) {
      ShardId place = of(places, "1", "user" + i);
      assertThat(of(places, "2", "user" + i)).isEqualTo(place);
      assertThat(places.ofShardKey(Tuple.of("user" + i))).isEqualTo(place);
    }
  }

  @Test
  void theShardIndexesOrderOfColumnsCounts() {
    EntryPlaces places = byHash("email", "region");
    assertThat(places.shardKey()).containsExactly(1, 0);
    for (int i = 0; i < 50; i++) {
      assertThat(of(places, "3", "user" + i))
          .isEqualTo(places.ofShardKey(Tuple.of("user" + i, "3")));
    }
  }

  @Test
  void rangesAndBucketsRouteByIntegers() {
    EntryPlaces range = places(ShardIndexType.RANGE, List.of("region"), OptionalLong.empty(), "0a");
    assertThat(of(range, "-5", "x")).isEqualTo(A);
    assertThat(of(range, "9", "x")).isEqualTo(A);
    assertThat(of(range, "10", "x")).isEqualTo(B);
    EntryPlaces modulo = places(ShardIndexType.MODULO, List.of("region"), OptionalLong.of(4), "2");
    assertThat(of(modulo, "5", "x")).isEqualTo(A);
    assertThat(of(modulo, "-1", "x")).isEqualTo(B);
  }

  @Test
  void otherPlacesHaveAnotherDefinition() {
    assertThat(byHash("email").definition())
        .isEqualTo(byHash("email").definition())
        .isNotEqualTo(byHash("region").definition());
    assertThat(EntryPlaces.of(Placement.Lookup.on(GSI, A), KEY).definition()).isEqualTo("shard-a");
  }

  @Test
  void typesThatTheIndexDoesNotTakeAreRefused() {
    assertThatThrownBy(
            () -> places(ShardIndexType.RANGE, List.of("email"), OptionalLong.empty(), "0a"))
        .isInstanceOf(ConcordException.class);
  }
}
