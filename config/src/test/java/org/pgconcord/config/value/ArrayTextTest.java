package org.pgconcord.config.value;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ArrayTextTest {
  @Test
  void readsWhatItWrites() {
    List<String> elements = Arrays.asList("a", "", "null", null, " b ", "c,d", "\"e\\", "{f}");
    assertThat(ArrayText.read(ArrayText.of(elements))).contains(elements);
    assertThat(ArrayText.read(ArrayText.of(List.of()))).contains(List.of());
  }

  @Test
  void readsWhatPeopleWrite() {
    assertThat(ArrayText.read(" { 1 ,\t2 3, NULL , nUll, \"NULL\" , \"\\4\" } "))
        .contains(Arrays.asList("1", "2 3", null, null, "NULL", "4"));
    assertThat(ArrayText.read("{}")).contains(List.of());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "1",
        "{",
        "{1",
        "{1}x",
        "{,}",
        "{1,}",
        "{,1}",
        "{1}}",
        "{{1},{2}}",
        "[1:1]={1}",
        "{\"1}",
        "{\"1\"2}",
        "{1\"2\"}",
        "{\\1}",
        "{\"1\\"
      })
  void leavesTheRestToTheServer(String array) {
    assertThat(ArrayText.read(array)).isEqualTo(Optional.empty());
  }
}
