package org.pgconcord.config.error;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.Page;

/** docs/errors.md is the catalogue of errors, and the catalogue keeps its own rules. */
class ErrorsPageTest {
  private static final String HEAD =
      """
      # Errors

      Every error that pgConcord raises itself; errors of the shards pass through as they are. The id is
      stable, and stands in the server's log and in the `DETAIL` or the JSON of an error. Categories: *user* (the
      statement, command or document is wrong), *refused* (correct, but not supported or not safe), *shard* (a
      shard did not answer as it should), *resources* (a limit was reached), *bug* (ours).

      Made from `ErrorCode`; a test holds this page to it (`-Ddocs=write` writes it anew).

      | id | SQLSTATE | category | meaning | what to do |
      | --- | --- | --- | --- | --- |
      """;

  @Test
  void thePageIsTheCatalogue() {
    String rows =
        Arrays.stream(ErrorCode.values()).map(ErrorsPageTest::row).collect(Collectors.joining());
    Page.holds("errors.md", HEAD + rows);
  }

  @Test
  void everyErrorHasAnIdOfItsOwnAndAState() {
    assertThat(ErrorCode.values()).extracting(ErrorCode::id).doesNotHaveDuplicates();
    assertThat(ErrorCode.values())
        .allSatisfy(
            code -> {
              assertThat(code.id()).matches("internal|[a-z]+(-[a-z]+)*/[a-z0-9]+(-[a-z0-9]+)*");
              assertThat(code.sqlState()).matches("[0-9A-Z]{5}");
              assertThat(code.sentence()).endsWith(".");
              assertThat(code.remedy()).matches(".*[.?!]");
            });
  }

  private static String row(ErrorCode code) {
    return "| `%s` | %s | %s | %s | %s |\n"
        .formatted(
            code.id(),
            code.sqlState(),
            code.category().name().toLowerCase(Locale.ROOT),
            code.sentence().replace("|", "\\|"),
            code.remedy().replace("|", "\\|"));
  }
}
