package org.pgconcord.verifier.correct;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;

class XidSnapshotTest {
  @Test
  void aSnapshotSeesWhatHadEndedWhenItWasTaken() {
    XidSnapshot snapshot = XidSnapshot.parse("10:20:10,15");
    assertThat(snapshot).isEqualTo(new XidSnapshot(10, 20, Set.of(10L, 15L)));
    assertThat(snapshot.sees(9)).isTrue();
    assertThat(snapshot.sees(10)).isFalse();
    assertThat(snapshot.sees(14)).isTrue();
    assertThat(snapshot.sees(15)).isFalse();
    assertThat(snapshot.sees(20)).isFalse();
    assertThat(XidSnapshot.parse("20:20:")).isEqualTo(new XidSnapshot(20, 20, Set.of()));
  }

  @Test
  void aShortIdIsWidenedToTheNearestOnEitherSideOfAWrap() {
    long wrap = 5L << 32;
    XidSnapshot before = new XidSnapshot(wrap - 10, wrap - 5, Set.of());
    XidSnapshot after = new XidSnapshot(wrap, wrap + 5, Set.of());
    assertThat(before.widen(0xFFFF_FFF0L)).isEqualTo(wrap - 16);
    assertThat(before.widen(3)).isEqualTo(wrap + 3);
    assertThat(after.widen(3)).isEqualTo(wrap + 3);
    assertThat(after.widen(0xFFFF_FFF0L)).isEqualTo(wrap - 16);
    assertThat(after.widen(wrap + 3)).isEqualTo(wrap + 3);
  }
}
