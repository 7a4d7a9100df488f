package org.pgconcord.testkit.cluster.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Locale;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.value.ShardId;

final class SampleTest {
  @Test
  void boundsAreTheShortestPrefixInWholeBytes() {
    assertThat(bounds(2)).containsExactly("80");
    assertThat(bounds(4)).containsExactly("40", "80", "c0");
    assertThat(bounds(3)).containsExactly("5555555555555555", "aaaaaaaaaaaaaaaa");
    assertThat(bounds(16)).contains("10", "f0");
  }

  @Test
  void theDocumentNamesEachShardOnce() {
    String document =
        SampleTopology.document(List.of(new ShardId("shard-a"), new ShardId("shard-b")));
    assertThat(document)
        .contains("{ \"shard_uid\": \"shard-a\", \"end\": \"80\" }")
        .contains("{ \"shard_uid\": \"shard-b\", \"start\": \"80\" }");
  }

  @Test
  void aRowDependsOnSeedAndNumberAlone() {
    assertThat(new SampleUsers(1).user(42)).isEqualTo(new SampleUsers(1).user(42));
    assertThat(new SampleUsers(1).user(42)).isNotEqualTo(new SampleUsers(2).user(42));
    assertThat(new SampleUsers(1).tenant(42)).isEqualTo(new SampleUsers(1).user(42).tenantId());
  }

  @Test
  void emailsAreUniqueAndTenantsAreAllUsed() {
    SampleUsers users = new SampleUsers(3);
    List<SampleUser> rows = LongStream.rangeClosed(1, 20_000).mapToObj(users::user).toList();
    assertThat(rows.stream().map(SampleUser::email).distinct()).hasSize(rows.size());
    assertThat(rows.stream().map(SampleUser::tenantId).distinct()).hasSize(SampleUsers.TENANTS);
    assertThat(rows).allMatch(r -> r.email().chars().allMatch(c -> c < 128));
  }

  @Test
  void thereAre249Countries() {
    assertThat(SampleCountries.codes()).hasSize(249).doesNotHaveDuplicates();
    assertThat(SampleCountries.codes()).contains(Locale.ITALY.getCountry());
    assertThat(SampleCountries.csv()).contains("CI,Côte d’Ivoire\n");
  }

  private static List<String> bounds(int parts) {
    return java.util.stream.IntStream.range(1, parts)
        .mapToObj(i -> SampleTopology.bound(i, parts))
        .toList();
  }
}
