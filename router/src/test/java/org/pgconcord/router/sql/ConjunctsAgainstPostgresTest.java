package org.pgconcord.router.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Whatever the reader takes for a condition that every row must meet, PostgreSQL's own grammar
 * takes for one too: over random WHERE clauses, made of the pieces that parsers group differently.
 */
class ConjunctsAgainstPostgresTest {
  private static final String CAST = "boolean";
  private static final List<String> ATOMS =
      List.of(
          "tenant_id = 1",
          "tenant_id = 2",
          "3 = tenant_id",
          "u.tenant_id = 4",
          "tenant_id IN (5, 6)",
          "tenant_id = 7",
          "d ->> 'x' = 'y'",
          "d -> 'a' ->> 'b' IN ('c')",
          "d @> '{}'",
          "d ? 'k'",
          "n BETWEEN 1 AND 2",
          "n BETWEEN tenant_id AND tenant_id",
          "name LIKE 'a' || 'b'",
          "name IS NOT NULL",
          "flag",
          "coalesce(tenant_id = 8, flag)",
          "CASE WHEN tenant_id = 9 THEN flag ELSE tenant_id = 10 END",
          "EXISTS (SELECT 1 FROM o WHERE o.tenant_id = 11)",
          "n IN (SELECT n FROM o WHERE tenant_id = 12)",
          "left(name, 1) = 'a'",
          "E'\\' OR tenant_id = 13 --' = name",
          "$$ AND tenant_id = 14 AND $$ <> name",
          "tenant_id = 15 /* OR */");
  private static final List<String> JOINS =
      List.of(
          " AND ", " AND ", " AND ", " OR ", " = ", " IS DISTINCT FROM ", " || ", " -- x\n AND ");
  private static final List<String> PREFIXES =
      List.of("", "", "", "", "NOT ", "(", "(", "- ", "NOT (");
  private static final List<String> SUFFIXES =
      List.of("", "", "", " IS TRUE", " IS NOT NULL", " COLLATE \"C\"", "::boolean", " + 1");

  @Test
  void believesNoConditionThatPostgresDoesNot() {
    long seed = Long.getLong("fuzz.seed", System.nanoTime());
    System.out.println("ConjunctsAgainstPostgresTest -Dfuzz.seed=" + seed);
    Random random = new Random(seed);
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < 4000; i++) {
      texts.add("SELECT * FROM u WHERE " + condition(random));
    }
    List<Optional<List<String>>> expected = PostgresOracle.start().conjuncts(texts);
    List<String> wrong = new ArrayList<>();
    int believed = 0;
    for (int i = 0; i < texts.size(); i++) {
      List<String> ours = ours(texts.get(i));
      Optional<List<String>> theirs = expected.get(i);
      believed += theirs.isPresent() && !ours.isEmpty() ? 1 : 0;
      if (theirs.isPresent() && !theirs.get().containsAll(ours)) {
        wrong.add("%s%n  PostgreSQL: %s%n  here:       %s".formatted(texts.get(i), theirs, ours));
      }
    }
    assertThat(wrong).isEmpty();
    assertThat(believed).isGreaterThan(100);
  }

  private static String condition(Random random) {
    StringBuilder text = new StringBuilder();
    int open = 0;
    int atoms = 1 + random.nextInt(5);
    for (int i = 0; i < atoms; i++) {
      String prefix = pick(random, PREFIXES);
      open += prefix.endsWith("(") ? 1 : 0;
      text.append(prefix).append(pick(random, ATOMS));
      if (open > 0 && (i == atoms - 1 || random.nextBoolean())) {
        text.append(")");
        open--;
      }
      text.append(pick(random, SUFFIXES)).append(i == atoms - 1 ? "" : pick(random, JOINS));
    }
    return text.append(")".repeat(open)).toString();
  }

  private static String pick(Random random, List<String> from) {
    return from.get(random.nextInt(from.size()));
  }

  private static List<String> ours(String sql) {
    try {
      StatementText text = StatementText.one(sql);
      StatementView view = StatementReader.read(text, Set.of("u", "o"));
      return ((StatementView.Query) view)
          .query().blocks().get(0).where().stream()
              .filter(p -> p instanceof PredicateView.OneOf o && isKey(o.column()))
              .map(p -> ((PredicateView.OneOf) p).constants())
              .filter(
                  constants -> constants.stream().allMatch(ConstantView.Literal.class::isInstance))
              .filter(
                  constants -> constants.stream().noneMatch(c -> literal(c).cast().equals(CAST)))
              .map(constants -> values(text, constants))
              .toList();
    } catch (UnreadableException e) {
      return List.of();
    }
  }

  private static boolean isKey(ColumnView column) {
    return column.name().equals("tenant_id");
  }

  /** What a cast constant means is decided when it is bound; the grammar's side leaves it out. */
  private static ConstantView.Literal literal(ConstantView constant) {
    return (ConstantView.Literal) constant;
  }

  private static String values(StatementText text, List<ConstantView> constants) {
    return constants.stream()
        .map(c -> (literal(c).negative() ? "-" : "") + text.tokens().text(literal(c).token()))
        .collect(Collectors.joining(",", "[", "]"));
  }
}
