package org.pgconcord.cdc.source;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.pgconcord.config.value.Lsn;

class AcknowledgementsTest {
  private final Acknowledgements<String> marks = new Acknowledgements<>();

  @Test
  void theLastRecordAtOrBeforeTheDurablePositionIsMarkedOnce() {
    marks.add(new Lsn(10), "a");
    marks.add(new Lsn(20), "b");
    marks.add(new Lsn(30), "c");
    assertThat(marks.upTo(new Lsn(9))).isNull();
    assertThat(marks.upTo(new Lsn(25))).isEqualTo("b");
    assertThat(marks.upTo(new Lsn(25))).isNull();
    assertThat(marks.upTo(new Lsn(30))).isEqualTo("c");
  }

  @Test
  void positionsAreUnsigned() {
    marks.add(new Lsn(-1), "far");
    assertThat(marks.upTo(new Lsn(Long.MAX_VALUE))).isNull();
    assertThat(marks.upTo(new Lsn(-1))).isEqualTo("far");
  }
}
