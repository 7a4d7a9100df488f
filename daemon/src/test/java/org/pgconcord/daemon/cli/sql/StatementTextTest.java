package org.pgconcord.daemon.cli.sql;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class StatementTextTest {
  @Test
  void aStatementEndsWithASemicolonOutsideQuotes() {
    StatementText text = new StatementText();
    assertThat(text.add("SELECT ';")).isFalse();
    assertThat(text.add("', \"a;b\"")).isFalse();
    assertThat(text.add("FROM t;  ")).isTrue();
    assertThat(text.take()).isEqualTo("SELECT ';\n', \"a;b\"\nFROM t;  ");
    assertThat(text.isEmpty()).isTrue();
  }
}
