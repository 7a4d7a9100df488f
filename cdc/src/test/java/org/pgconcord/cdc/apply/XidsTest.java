package org.pgconcord.cdc.apply;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class XidsTest {
  @ParameterizedTest
  @CsvSource({
    "700, 710, 700",
    "720, 710, 720",
    "5, 4294967306, 4294967301",
    "4294967290, 4294967306, 4294967290",
    "5, 8589934590, 8589934597",
    "4294967295, 5, -1"
  })
  void theNearestIdWithTheseBitsIsMeant(long low, long near, long full) {
    assertThat(Xids.widen(low, near)).isEqualTo(full);
  }
}
