package org.pgconcord.config.topology;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;

/** The example of the page that the product follows loads unchanged, defaults resolved. */
class SeedDocumentTest {
  private final Topology topology = TopologyReader.read(Documents.seed()).orThrow();

  @Test
  void hasNoFindings() {
    assertThat(TopologyReader.read(Documents.seed()).findings()).isEmpty();
  }

  @Test
  void placesEachTable() {
    Topology.LogicalDatabase app = topology.database("app").orElseThrow();
    assertThat(app.placement(new TableName("public", "users")))
        .isInstanceOfSatisfying(
            Placement.Sharded.class,
            p -> assertThat(p.index().columns()).containsExactly("tenant_id"));
    assertThat(app.placement(new TableName("public", "countries")))
        .isEqualTo(
            new Placement.Reference(List.of(new ShardId("shard-a"), new ShardId("shard-b"))));
    assertThat(app.placement(new TableName("public", "users_by_email")))
        .isEqualTo(Placement.Lookup.on(new GsiName("app", "by_email"), new ShardId("shard-a")));
  }

  @Test
  void putsAnUndeclaredTableOnTheAuthoritativeShard() {
    Topology.LogicalDatabase app = topology.database("app").orElseThrow();
    assertThat(app.placement(new TableName("other", "notes")))
        .isEqualTo(
            new Placement.Unsharded(topology.authoritativeGroup(), new ShardId("shard-a"), false));
  }

  @Test
  void resolvesTheIndex() {
    assertThat(topology.gsi(new GsiName("app", "by_email")))
        .contains(
            new Gsi(
                new GsiName("app", "by_email"),
                new TableName("public", "users_by_email"),
                new TableName("public", "users"),
                List.of("email"),
                List.of("tenant_id"),
                List.of(),
                true,
                false,
                false));
  }

  @Test
  void takesAnIndexInExtendedMode() {
    String extended =
        Documents.seed().replaceFirst("\"unique\": true", "$0, \"gsi_mode\": \"extended\"");
    assertThat(TopologyReader.read(extended).orThrow().gsi(new GsiName("app", "by_email")))
        .contains(topology.gsi(new GsiName("app", "by_email")).orElseThrow().in(GsiMode.EXTENDED));
  }

  @Test
  void infersTheOwnersShardKeyAndTheSchema() {
    String shorter =
        Documents.seed()
            .replace("\"owner_sk_columns\": [\n            \"tenant_id\"\n          ],", "")
            .replace("\"schema\": \"public\",", "");
    assertThat(shorter).doesNotContain("owner_sk_columns").doesNotContain("\"schema\":");
    assertThat(TopologyReader.read(shorter).orThrow()).isEqualTo(topology);
  }
}
