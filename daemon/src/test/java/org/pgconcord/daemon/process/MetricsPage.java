package org.pgconcord.daemon.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.TreeMap;

/**
 * docs/metrics.md against what a daemon serves. With {@code -Dpgconcord.write=true} the page is
 * written anew instead.
 */
final class MetricsPage {
  private static final String BEGIN =
      """
      # Metrics

      The admin port serves these at `/metrics` in Prometheus' text format, beside the JVM's own
      (`jvm_*`, `system_*`, `process_*`). Labels are `gsi` (`app.by_email`), `shard` and `state`; never
      anything that a client sent. The page is made from a daemon's answer and a test compares them.

      | metric | type | meaning |
      | --- | --- | --- |
      """;

  private MetricsPage() {}

  static void check(String scrape) throws IOException {
    Path page = page();
    String wanted = of(scrape);
    if (Boolean.getBoolean("pgconcord.write")) {
      Files.writeString(page, wanted);
    }
    assertThat(Files.readString(page)).isEqualTo(wanted);
  }

  private static String of(String scrape) {
    TreeMap<String, String> help = new TreeMap<>();
    TreeMap<String, String> types = new TreeMap<>();
    scrape
        .lines()
        .filter(line -> line.startsWith("# ") && line.contains(" pgconcord_"))
        .forEach(
            line -> {
              String[] words = line.split(" ", 4);
              (words[1].equals("HELP") ? help : types).put(words[2], words[3]);
            });
    StringBuilder page = new StringBuilder(BEGIN);
    help.forEach(
        (name, text) -> page.append("| `%s` | %s | %s |%n".formatted(name, types.get(name), text)));
    return page.toString();
  }

  private static Path page() {
    Path here = Path.of("").toAbsolutePath();
    Path root = Files.exists(here.resolve("docs")) ? here : here.resolve("..");
    return root.resolve("docs/metrics.md");
  }
}
