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
    Map<String, List<Path>> tests = tests();
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
        String method = named.group(2) == null ? "" : "void " + named.group(2) + "(";
        assertThat(tests.getOrDefault(named.group(1), List.of()))
            .as(named.group())
            .anySatisfy(file -> assertThat(Files.readString(file)).contains(method));
      } while (named.find());
    }
  }

  private static Map<String, List<Path>> tests() throws IOException {
    try (Stream<Path> files = Files.walk(ROOT)) {
      return files
          .filter(file -> file.toString().contains("/src/test/java/"))
          .filter(file -> file.toString().matches(".*(IT|Test)\\.java"))
          .collect(
              Collectors.groupingBy(file -> file.getFileName().toString().replace(".java", "")));
    }
  }
}
