package org.pgconcord.gsi;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class EntryStatementTest {
  @Test
  void jdbcTakesOneValuePerPlaceAndLeavesNamesAlone() {
    EntryStatement statement =
        EntryStatement.of("UPDATE \"a$1\" SET k = $1, s = $2 WHERE k = $1", "x", "7");
    assertThat(statement.forJdbc())
        .isEqualTo(EntryStatement.of("UPDATE \"a$1\" SET k = ?, s = ? WHERE k = ?", "x", "7", "x"));
  }
}
