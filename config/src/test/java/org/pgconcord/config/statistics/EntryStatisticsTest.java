package org.pgconcord.config.statistics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class EntryStatisticsTest {
  private static final Offset<Double> NEAR = Offset.offset(1e-6);

  /** 1,000 rows: 600 of them Oulu, 100 NULL, the other 300 of 3 more values. */
  private static final ColumnStatistics CITY = new ColumnStatistics(4, 0.1, Map.of("Oulu", 0.6));

  /** Twice as many rows as values. */
  private static final ColumnStatistics FLOOR = new ColumnStatistics(-0.5, 0, Map.of());

  private static final EntryStatistics ENTRIES =
      new EntryStatistics(1_000, Map.of("city", CITY, "floor", FLOOR));

  @Test
  void aCommonValueHasItsFractionAndOthersShareTheRest() {
    assertThat(ENTRIES.entries(List.of("city"), List.of("Oulu"))).isEqualTo(600, NEAR);
    assertThat(ENTRIES.entries(List.of("city"), List.of("Turku"))).isEqualTo(100, NEAR);
    assertThat(ENTRIES.entries(List.of("floor"), List.of("3"))).isEqualTo(2, NEAR);
  }

  @Test
  void severalColumnsAreIndependentAndAKeyHasAnEntryAtLeast() {
    assertThat(ENTRIES.entries(List.of("city", "floor"), List.of("Oulu", "3")))
        .isEqualTo(1.2, NEAR);
    assertThat(ENTRIES.entries(List.of("city", "floor"), List.of("Turku", "3"))).isEqualTo(1);
  }

  @Test
  void whatWasNotAnalyzedNarrowsNothing() {
    assertThat(ENTRIES.entries(List.of("seat"), List.of("a"))).isEqualTo(1_000);
    assertThat(ENTRIES.values(List.of("seat"))).isEqualTo(1_000);
    assertThat(ENTRIES.values(List.of("city"))).isEqualTo(4);
    assertThat(ENTRIES.values(List.of("city", "floor"))).isEqualTo(1_000);
  }

  @Test
  void nonsenseIsStillANumber() {
    EntryStatistics none =
        new EntryStatistics(0, Map.of("city", new ColumnStatistics(0, 1, Map.of("Oulu", 5.0))));
    assertThat(none.entries(List.of("city"), List.of("Turku"))).isEqualTo(1);
    assertThat(none.values(List.of("city"))).isEqualTo(1);
  }
}
