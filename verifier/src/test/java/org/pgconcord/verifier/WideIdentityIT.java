package org.pgconcord.verifier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.pgconcord.testkit.fixture.TwoShards.A;
import static org.pgconcord.testkit.fixture.TwoShards.B;

import java.security.SecureRandom;
import java.sql.Connection;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.topology.Gsi;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.Tuple;
import org.pgconcord.gsi.LookupDdl;
import org.pgconcord.gsi.LookupIndex;
import org.pgconcord.testkit.cluster.ShardCluster;
import org.pgconcord.testkit.fixture.DeclaredIndex;
import org.pgconcord.testkit.fixture.ThingsByKey;
import org.pgconcord.testkit.fixture.TwoShards;
import org.pgconcord.verifier.correct.Correction;
import org.pgconcord.verifier.correct.SnapshotSet;
import org.pgconcord.verifier.search.Comparison;
import org.pgconcord.verifier.search.KeyState;
import org.pgconcord.verifier.search.RangeSearch;
import org.pgconcord.verifier.sum.Sums;

/** Few keys, many rows of each: ranges have to be cut inside a key. */
class WideIdentityIT {
  private static final int ROWS = 30_000;

  @Test
  void whatDiffersIsFoundAmongManyRowsOfOneKey() throws Exception {
    ExecutorService threads = Executors.newCachedThreadPool();
    try (ShardCluster cluster = ShardCluster.start(2)) {
      LookupIndex index = fill(cluster);
      String onA = TwoShards.tenantOf(A, 0);
      try (Connection service = cluster.asService(A)) {
        ThingsByKey.run(
            service,
            "DELETE FROM things_by_k WHERE id = 20000",
            "INSERT INTO things_by_k (k, sk, id) VALUES ('k1', " + onA + ", 99999)");
      }
      SecureRandom random = new SecureRandom();
      for (Sums sums : List.of(Sums.byServers(random), Sums.here(random))) {
        try (SnapshotSet snapshots = SnapshotSet.take(index, cluster::asService, threads)) {
          Comparison comparison =
              new Comparison(index, snapshots, Correction.none(), sums, threads);
          Comparison.Pair whole = comparison.whole(CompareProgress.none());
          assertThat(whole.expected().count()).isEqualTo(ROWS);
          assertThat(new RangeSearch(comparison).search(whole).suspects())
              .extracting(KeyState::identity)
              .containsExactlyInAnyOrder(
                  Tuple.of("k2", onA, "20000"), Tuple.of("k1", onA, "99999"));
        }
      }
    } finally {
      threads.shutdownNow();
    }
  }

  /** Rows with three keys, those with an even id on the first shard. */
  private static LookupIndex fill(ShardCluster cluster) throws Exception {
    DeclaredIndex declared = ThingsByKey.create(cluster, "text", "bigint", false);
    Gsi unique = declared.gsi();
    Gsi gsi =
        new Gsi(
            unique.name(),
            unique.lookup(),
            unique.owner(),
            unique.columns(),
            unique.ownerShardKey(),
            List.of("id"),
            false,
            false,
            false);
    LookupIndex index = LookupIndex.resolve(TwoShards.topology(gsi), declared.owner(), gsi);
    try (Connection service = cluster.asService(A)) {
      ThingsByKey.run(service, LookupDdl.createTable(index).toArray(new String[0]));
      for (ShardId shard : List.of(A, B)) {
        String rows =
            "SELECT 'k' || n %% 3, %s, n FROM generate_series(1, %d) n WHERE n %% 2 = %d"
                .formatted(TwoShards.tenantOf(shard, 0), ROWS, shard.equals(A) ? 0 : 1);
        try (Connection owner = cluster.asOwner(shard)) {
          ThingsByKey.run(owner, "INSERT INTO things (k, sk, id) " + rows, "ANALYZE things");
        }
        ThingsByKey.run(service, "INSERT INTO things_by_k (k, sk, id) " + rows);
      }
    }
    return index;
  }
}
