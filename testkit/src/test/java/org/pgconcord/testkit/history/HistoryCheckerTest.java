package org.pgconcord.testkit.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.pgconcord.testkit.history.Transaction.aborted;
import static org.pgconcord.testkit.history.Transaction.committed;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.pgconcord.testkit.history.Anomaly.Kind;
import org.pgconcord.testkit.history.Transaction.Outcome;

/** Each anomaly planted in a history of its own; and histories in which there is none. */
class HistoryCheckerTest {
  @Test
  void aSerialHistoryIsClean() {
    assertThat(
            kinds(
                Map.of("x", List.of(1, 2), "y", List.of(3)),
                committed(1, append("x", 1), read("x", 1)),
                committed(2, read("x", 1), append("x", 2), append("y", 3), read("x", 1, 2)),
                committed(3, read("x", 1, 2), read("y", 3))))
        .isEmpty();
  }

  @Test
  void aReaderOfAnOldVersionIsNoCircle() {
    assertThat(
            kinds(
                Map.of("x", List.of(1, 2)),
                committed(1, append("x", 1)),
                committed(2, read("x", 1), read("x", 1)),
                committed(3, append("x", 2))))
        .isEmpty();
  }

  @Test
  void gSingleAReadThatIsNotRepeatable() {
    assertThat(
            kinds(
                Map.of("x", List.of(1)),
                committed(1, append("x", 1)),
                committed(2, read("x"), read("x", 1))))
        .containsExactly(Kind.G_SINGLE);
  }

  @Test
  void aReadThatForgetsTheOwnAppend() {
    assertThat(
            kinds(
                Map.of("x", List.of(1, 2)),
                committed(1, append("x", 1)),
                committed(2, append("x", 2), read("x", 1))))
        .contains(Kind.INTERNAL);
  }

  @Test
  void aValueThatIsThereTwiceOrFromNowhere() {
    assertThat(kinds(Map.of("x", List.of(1, 1)), committed(1, append("x", 1))))
        .contains(Kind.IMPOSSIBLE_VALUE);
    assertThat(kinds(Map.of("x", List.of(1, 9)), committed(1, append("x", 1))))
        .containsExactly(Kind.IMPOSSIBLE_VALUE);
  }

  @Test
  void listsInTwoOrders() {
    assertThat(
            kinds(
                Map.of("x", List.of(1, 2)),
                committed(1, append("x", 1)),
                committed(2, append("x", 2)),
                committed(3, read("x", 2, 1))))
        .containsExactly(Kind.INCOMPATIBLE_ORDER);
  }

  @Test
  void anAcknowledgedAppendThatIsGone() {
    assertThat(kinds(Map.of("x", List.of()), committed(1, append("x", 1))))
        .containsExactly(Kind.LOST_APPEND);
  }

  @Test
  void anUnknownAppendMayBeThereOrNot() {
    Transaction unknown = new Transaction(1, List.of(append("x", 1)), Outcome.UNKNOWN);
    assertThat(kinds(Map.of("x", List.of()), unknown)).isEmpty();
    assertThat(kinds(Map.of("x", List.of(1)), unknown)).isEmpty();
  }

  @Test
  void g1aAnAbortedRead() {
    assertThat(
            kinds(Map.of("x", List.of()), aborted(1, append("x", 1)), committed(2, read("x", 1))))
        .contains(Kind.G1A);
    assertThat(kinds(Map.of("x", List.of(1)), aborted(1, append("x", 1)))).contains(Kind.G1A);
  }

  @Test
  void g1bAnIntermediateRead() {
    assertThat(
            kinds(
                Map.of("x", List.of(1, 2)),
                committed(1, append("x", 1), append("x", 2)),
                committed(2, read("x", 1))))
        .contains(Kind.G1B);
  }

  @Test
  void g0AWriteCycle() {
    assertThat(
            kinds(
                Map.of("x", List.of(1, 2), "y", List.of(4, 3)),
                committed(1, append("x", 1), append("y", 3)),
                committed(2, append("x", 2), append("y", 4))))
        .contains(Kind.G0);
  }

  @Test
  void g1cCircularInformation() {
    assertThat(
            kinds(
                Map.of("x", List.of(1), "y", List.of(2)),
                committed(1, append("x", 1), read("y", 2)),
                committed(2, append("y", 2), read("x", 1))))
        .contains(Kind.G1C);
  }

  @Test
  void aLostUpdate() {
    assertThat(
            kinds(
                Map.of("x", List.of(1, 2, 3)),
                committed(1, append("x", 1)),
                committed(2, read("x", 1), append("x", 2)),
                committed(3, read("x", 1), append("x", 3))))
        .containsExactly(Kind.LOST_UPDATE);
  }

  @Test
  void gSingleAReadSkew() {
    assertThat(
            kinds(
                Map.of("x", List.of(1, 3), "y", List.of(2, 4)),
                committed(1, append("x", 1), append("y", 2)),
                committed(2, append("x", 3), append("y", 4)),
                committed(3, read("x", 1), read("y", 2, 4))))
        .containsExactly(Kind.G_SINGLE);
  }

  @Test
  void g2AWriteSkew() {
    Set<Kind> kinds =
        kinds(
            Map.of("x", List.of(1), "y", List.of(2)),
            committed(1, read("y"), append("x", 1)),
            committed(2, read("x"), append("y", 2)));
    assertThat(kinds).containsExactly(Kind.G2);
  }

  @Test
  void levelsForbidMoreAndMore() {
    assertThat(forbidden(Level.READ_COMMITTED)).doesNotContain(Kind.LOST_UPDATE, Kind.G_SINGLE);
    assertThat(forbidden(Level.READ_COMMITTED)).contains(Kind.G0, Kind.G1A, Kind.G1B, Kind.G1C);
    assertThat(forbidden(Level.REPEATABLE_READ)).contains(Kind.LOST_UPDATE, Kind.G_SINGLE);
    assertThat(forbidden(Level.REPEATABLE_READ)).doesNotContain(Kind.G2);
    assertThat(forbidden(Level.SERIALIZABLE)).containsExactlyInAnyOrder(Kind.values());
  }

  private static Set<Kind> forbidden(Level level) {
    Set<Kind> kinds = new TreeSet<>(List.of(Kind.values()));
    kinds.removeIf(kind -> !level.forbids(new Anomaly(kind, "")));
    return kinds;
  }

  private static Set<Kind> kinds(Map<String, List<Integer>> end, Transaction... history) {
    Set<Kind> kinds = new TreeSet<>();
    HistoryChecker.check(List.of(history), end).forEach(anomaly -> kinds.add(anomaly.kind()));
    return kinds;
  }

  private static Op append(String key, int value) {
    return new Op.Append(key, value);
  }

  private static Op read(String key, Integer... values) {
    return new Op.Read(key, Arrays.asList(values));
  }
}
