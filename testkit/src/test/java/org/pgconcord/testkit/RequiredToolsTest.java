package org.pgconcord.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.opentest4j.TestAbortedException;

final class RequiredToolsTest {
  @Test
  void aToolIsFoundOnThePath() {
    assertThat(RequiredTools.require("sh")).isExecutable();
    assertThat(RequiredTools.find("sh", "")).isEmpty();
  }

  @Test
  void aMissingToolSkipsTheTestOrFailsItUnderCi() {
    assertThatThrownBy(() -> RequiredTools.require("no-such-tool", false))
        .isInstanceOf(TestAbortedException.class)
        .hasMessage("no-such-tool is not installed");
    assertThatThrownBy(() -> RequiredTools.require("no-such-tool", true))
        .isInstanceOf(AssertionError.class);
  }
}
