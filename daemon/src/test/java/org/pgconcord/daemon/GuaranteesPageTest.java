package org.pgconcord.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** docs/guarantees.md: each promise names a test, and the tests that it names are there. */
final class GuaranteesPageTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Pattern NAMED = Pattern.compile("`(\\w+(?:IT|Test))(?:\\.(\\w+))?`");

  @Test
  void everyLineNamesTestsThatExist() throws IOException {
    Map<String, Path> tests = tests();
    List<String> promises =
        Files.readAllLines(ROOT.resolve("docs/guarantees.md")).stream()
            .filter(line -> line.startsWith("| "))
            .filter(line -> !line.startsWith("| what ") && !line.startsWith("| --"))
            .toList();
    assertThat(promises).hasSizeGreaterThan(20);
    for (String promise : promises) {
      Matcher named = NAMED.matcher(promise);
      assertThat(named.find()).as("names a test: " + promise).isTrue();
      do {
        Path file = tests.get(named.group(1));
        assertThat(file).as(named.group()).isNotNull();
        if (named.group(2) != null) {
          assertThat(Files.readString(file)).as(named.group()).contains("void " + named.group(2));
        }
      } while (named.find());
    }
  }

  private static Map<String, Path> tests() throws IOException {
    try (Stream<Path> files = Files.walk(ROOT)) {
      return files
          .filter(file -> file.toString().contains("/src/test/java/"))
          .filter(file -> file.toString().matches(".*(IT|Test)\\.java"))
          .collect(
              Collectors.toMap(
                  file -> file.getFileName().toString().replace(".java", ""),
                  file -> file,
                  (one, other) -> one));
    }
  }
}
