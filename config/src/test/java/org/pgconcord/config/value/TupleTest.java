package org.pgconcord.config.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class TupleTest {
  @Test
  void whatIsStoredIsReadBack() {
    for (Tuple tuple :
        List.of(
            Tuple.EMPTY,
            Tuple.of("2:ab"),
            Tuple.of(""),
            Tuple.of("", ""),
            Tuple.of("1:a", "\uD83D\uDE00", "x, y"))) {
      assertThat(Tuple.read(tuple.stored(), tuple.size())).isEqualTo(tuple);
    }
    assertThat(Tuple.of("x@example.com").stored()).isEqualTo("x@example.com");
    assertThat(Tuple.of("a", "bc").stored()).isEqualTo("1:a2:bc");
  }

  @Test
  void anotherWidthIsRefused() {
    for (String stored : List.of("", "1:a", "1:a1:b1:c", "1:a9:b", "x")) {
      assertThatThrownBy(() -> Tuple.read(stored, 2)).isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void theOrderIsThatOfTheBytes() {
    assertThat(
            List.of(
                    Tuple.of("\uFFFD", "a"),
                    Tuple.of("\uD83D\uDE00", "a"),
                    Tuple.of("b"),
                    Tuple.of("a", "z"),
                    Tuple.of("a"))
                .stream()
                .sorted())
        .containsExactly(
            Tuple.of("a"),
            Tuple.of("a", "z"),
            Tuple.of("b"),
            Tuple.of("\uFFFD", "a"),
            Tuple.of("\uD83D\uDE00", "a"));
  }
}
