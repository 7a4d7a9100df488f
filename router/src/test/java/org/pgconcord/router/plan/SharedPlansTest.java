package org.pgconcord.router.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.pgconcord.router.sql.StatementText;
import org.pgconcord.router.sql.Tokens;

/**
 * A statement plans the same whether or not others of its shape, with other constants, came before
 * it: each constant of each case is replaced in turn by others of its kind.
 */
class SharedPlansTest {
  private static final Path FILES = Path.of("src/test/resources/plans");

  private static final List<String> INTEGERS = List.of("2", "99999999999");
  private static final List<String> NUMERICS = List.of("0.0", "1.5", "99999999999.25");
  private static final List<String> STRINGS = List.of("'7'", "'users'");

  /** Where a constant is more than a value to compare with. */
  private static final List<String> PLACES =
      List.of(
          "SELECT tenant_id, email FROM users ORDER BY 1 LIMIT 3",
          "SELECT tenant_id, email FROM users ORDER BY (1), 2 DESC OFFSET 1 FETCH FIRST 2 ROWS ONLY",
          "SELECT tenant_id, count(*) FROM users GROUP BY 1 ORDER BY 2",
          "SELECT tenant_id, email, count(*) FROM users GROUP BY ROLLUP (1, 2)",
          "SELECT DISTINCT ON (1) tenant_id, email FROM users ORDER BY 1, 2",
          "SELECT email, count(*) FROM users GROUP BY (1) HAVING count(*) > 1 ORDER BY 1",
          "SELECT string_agg(email, ',' ORDER BY 1) FROM users",
          "SELECT tenant_id FROM users UNION ALL SELECT 1 ORDER BY 1 LIMIT 1",
          "SELECT count(*) OVER (ORDER BY user_id ROWS 1 PRECEDING) FROM users WHERE tenant_id = 1",
          "SELECT sum(user_id::numeric(10, 2)) FROM users",
          "SELECT email::char(3), interval '1 day' FROM users WHERE tenant_id IN (1, 2)",
          "SELECT email FROM users WHERE tenant_id = ANY ('{1,2}') AND email LIKE 'a!%' ESCAPE '!'",
          "SELECT substring(email FROM 2 FOR 3), 1 FROM users WHERE 1 = 0 OR tenant_id = 5",
          "SELECT email FROM users WHERE tenant_id = 5 + 1",
          "SELECT email FROM users WHERE tenant_id BETWEEN 1 AND 5",
          "SELECT email FROM users WHERE (tenant_id, email) IN ((1, 'a'), (2, 'b'))",
          "SELECT count(*) FROM users WHERE tenant_id = 1 OR tenant_id = 2",
          "SELECT v FROM (VALUES (1), (2)) AS t (v) JOIN users ON tenant_id = v",
          "SELECT email FROM users WHERE tenant_id = (SELECT 1)",
          "SELECT email FROM users WHERE tenant_id = '1'::int8 AND email = E'a\\'b'",
          "UPDATE users SET name = 'x' WHERE tenant_id = 1 AND user_id = 2 RETURNING 1",
          "DELETE FROM users WHERE tenant_id IN (1, 2) AND name = 'x'",
          "INSERT INTO users (tenant_id, user_id, email) VALUES (1, 2, 'a'), (3, 4, 'b')",
          "INSERT INTO users (tenant_id, user_id, email) SELECT 1, 2, 'a' WHERE 1 = 1");

  @TestFactory
  List<DynamicTest> plansAreSharedByWhatDiffersInConstantsAlone() throws IOException {
    List<DynamicTest> tests = new ArrayList<>();
    try (Stream<Path> found = Files.list(FILES)) {
      for (Path file : found.filter(f -> f.toString().endsWith(".cases")).sorted().toList()) {
        List<PlanCase> cases = PlanCase.read(Files.readString(file).strip());
        tests.add(
            DynamicTest.dynamicTest(
                file.getFileName().toString(),
                () -> cases.forEach(c -> check(c, c.sql(), c.context()))));
      }
    }
    PlanCase plain = new PlanCase(List.of(), "");
    PlanContext context = plain.context();
    for (String sql : PLACES) {
      tests.add(DynamicTest.dynamicTest(sql, () -> check(plain, sql, context)));
    }
    return tests;
  }

  private static void check(PlanCase one, String sql, PlanContext context) {
    for (String variant : variants(sql)) {
      List<String> alone = one.plan(variant, new StatementPlanner(), context);
      StatementPlanner planner = new StatementPlanner();
      one.plan(sql, planner, context);
      assertThat(one.plan(variant, planner, context))
          .as("%s%nafter%n%s", variant, sql)
          .isEqualTo(alone);
    }
  }

  private static List<String> variants(String sql) {
    List<String> variants = new ArrayList<>();
    Tokens tokens;
    try {
      tokens = StatementText.one(sql).tokens();
    } catch (org.pgconcord.config.error.ConcordException e) {
      return variants;
    }
    for (int i = 0; i < tokens.size(); i++) {
      List<String> others =
          switch (tokens.kind(i)) {
            case INTEGER -> INTEGERS;
            case NUMERIC -> NUMERICS;
            case STRING -> STRINGS;
            default -> List.of();
          };
      for (String other : others) {
        variants.add(sql.substring(0, tokens.start(i)) + other + sql.substring(tokens.end(i)));
      }
    }
    return variants;
  }
}
