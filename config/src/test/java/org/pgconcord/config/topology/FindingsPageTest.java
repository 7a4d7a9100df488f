package org.pgconcord.config.topology;

import java.util.Arrays;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.Page;

/** The list of findings in docs/formats.md is the list of rules. */
class FindingsPageTest {

  @Test
  void thePageListsEveryRule() {
    Page.holdsBetween(
        "formats.md",
        "<!-- findings: generated",
        "<!-- end of findings",
        table(Rule::aboutDocument) + "\n" + table(rule -> !rule.aboutDocument()));
  }

  private static String table(Predicate<Rule> rules) {
    return "| id | severity | remedy |\n| --- | --- | --- |\n"
        + Arrays.stream(Rule.values())
            .filter(rules)
            .map(
                rule ->
                    "| `%s` | %s | %s |\n"
                        .formatted(
                            rule.id(),
                            rule.severity().name().toLowerCase(Locale.ROOT),
                            rule.remedy()))
            .collect(Collectors.joining());
  }
}
