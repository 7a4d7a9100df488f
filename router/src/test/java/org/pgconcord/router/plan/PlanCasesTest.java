package org.pgconcord.router.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Every case of {@code plans/*.cases} plans as its file says. After a change that was meant, run
 * with {@code -Dplans=write} and read the difference.
 */
class PlanCasesTest {
  private static final Path FILES = Path.of("src/test/resources/plans");

  private final StatementPlanner planner = new StatementPlanner();

  @TestFactory
  List<DynamicTest> plansAsWritten() throws IOException {
    List<DynamicTest> tests = new ArrayList<>();
    for (Path file : files()) {
      String text = Files.readString(file);
      if ("write".equals(System.getProperty("plans"))) {
        Files.writeString(file, planned(text));
        continue;
      }
      String[] blocks = text.strip().split("\n\n+");
      List<PlanCase> cases = PlanCase.read(text.strip());
      for (int i = 0; i < blocks.length; i++) {
        String expected = blocks[i].strip();
        PlanCase one = cases.get(i);
        tests.add(
            DynamicTest.dynamicTest(
                file.getFileName() + ": " + one.sql().lines().findFirst().orElse("comment"),
                () -> assertThat(one.written(planner)).isEqualTo(expected)));
      }
    }
    return tests;
  }

  @Test
  void hasCasesForTheWholeList() throws IOException {
    int count = 0;
    for (Path file : files()) {
      count += PlanCase.read(Files.readString(file).strip()).size();
    }
    assertThat(count).isGreaterThanOrEqualTo(150);
  }

  private String planned(String text) {
    return PlanCase.read(text.strip()).stream()
            .map(c -> c.written(planner))
            .collect(Collectors.joining("\n\n"))
        + "\n";
  }

  private static List<Path> files() throws IOException {
    try (Stream<Path> found = Files.list(FILES)) {
      return found.filter(f -> f.toString().endsWith(".cases")).sorted().toList();
    }
  }
}
