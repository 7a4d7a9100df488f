package org.pgconcord.router.tx;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.catalog.CopiedTable;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;
import org.pgconcord.router.tx.Outcomes.Outcome;

/** What an uneven end of a transaction says about copies; the leader is shard a. */
class WrittenCopiesTest {
  private static final ShardId A = new ShardId("a");
  private static final ShardId B = new ShardId("b");
  private static final ShardId C = new ShardId("c");
  private static final ShardId D = new ShardId("d");
  private static final CopiedTable COUNTRIES =
      new CopiedTable("app", new TableName("public", "countries"));

  private final WrittenCopies written = new WrittenCopies();

  @Test
  void nothingCommittedMarksNothing() {
    assertThat(uneven(Map.of())).isEmpty();
  }

  @Test
  void whatCommittedWithoutTheLeaderIsMarked() {
    assertThat(uneven(Map.of(B, Outcome.COMMITTED))).containsExactly(B);
    assertThat(uneven(Map.of(B, Outcome.COMMITTED, C, Outcome.COMMITTED))).containsExactly(B, C);
  }

  @Test
  void whatMayHaveCommittedIsMarked() {
    assertThat(uneven(Map.of(B, Outcome.UNKNOWN))).containsExactly(B);
  }

  @Test
  void anUnknownLeaderMarksAllOthers() {
    assertThat(uneven(Map.of(A, Outcome.UNKNOWN, B, Outcome.COMMITTED, C, Outcome.COMMITTED)))
        .containsExactly(B, C);
  }

  @Test
  void aShardThatWasNotPartOfItIsNotMarked() {
    Outcomes outcomes = new Outcomes(List.of(A, D));
    outcomes.set(D, Outcome.COMMITTED);
    written.add(COUNTRIES, A, List.of(B, C));

    assertThat(written.uneven(outcomes)).isEmpty();
  }

  private Set<ShardId> uneven(Map<ShardId, Outcome> ends) {
    Outcomes outcomes = new Outcomes(List.of(A, B, C));
    ends.forEach(outcomes::set);
    written.add(COUNTRIES, A, List.of(B, C));
    return written.uneven(outcomes).getOrDefault(COUNTRIES, Set.of());
  }
}
