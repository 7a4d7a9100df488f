package org.pgconcord.router.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.pgconcord.router.session.StartupOptions.Setting;

class StartupOptionsTest {
  @Test
  void findsSettingsInAllTheirForms() {
    assertThat(StartupOptions.read("-c a.b=1 -cC=two\\ words  --search-path=x -i -c"))
        .containsExactly(
            new Setting("a.b", "1"),
            new Setting("c", "two words"),
            new Setting("search_path", "x"));
  }

  @Test
  void findsNothingInNothing() {
    assertThat(StartupOptions.read("")).isEmpty();
    assertThat(StartupOptions.read("  nothing at all ")).isEmpty();
  }

  @Test
  void timesAreReadAsShowPrintsThem() {
    assertThat(TimeSetting.parse("0")).isZero();
    assertThat(TimeSetting.parse("250ms")).isEqualTo(Duration.ofMillis(250));
    assertThat(TimeSetting.parse("5s")).isEqualTo(Duration.ofSeconds(5));
    assertThat(TimeSetting.parse("2min")).isEqualTo(Duration.ofMinutes(2));
    assertThat(TimeSetting.parse("25d")).isEqualTo(Duration.ofDays(25));
    assertThat(TimeSetting.parse("soon")).isZero();
  }
}
