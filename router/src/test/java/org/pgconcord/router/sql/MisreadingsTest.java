package org.pgconcord.router.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgconcord.config.error.ConcordException;

/**
 * Statements that JSqlParser is known to take for others, and what is made of them here: the right
 * conditions, fewer, or a refusal. Claims are written as {@link ViewShape} has them: a name or a
 * constant with its place in the text.
 */
class MisreadingsTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT FROM t WHERE sk = 1 AND d ->> 'x' = 'y' OR sk > 2",
        "SELECT FROM t WHERE sk = 1 AND d ->> $1 = 'y' OR b = 2",
        "SELECT FROM t WHERE sk = 1 AND d -> 'a' ->> 'b' IN ('c') OR NOT sk = 2",
        "SELECT FROM t WHERE sk = 1 AND d ->> 'x' || 'y' = 'z' OR (sk = 2) IS NULL",
        "SELECT FROM t WHERE sk = 1 AND d #>> '{a}' = 'y' OR f(sk = 2)",
        "SELECT FROM t WHERE sk = 1 OR b = 2 AND (sk = 3 OR b = 4)",
        "SELECT FROM t WHERE NOT (sk = 1 OR sk = 2)",
        "SELECT FROM t WHERE f(sk = 1 OR sk = 2)",
        "SELECT FROM t WHERE (sk = 1 OR sk = 2) = false",
        "SELECT FROM t WHERE t.sk = 1 OR u.sk = 2",
        "SELECT FROM t WHERE CASE WHEN sk = 1 OR sk = 2 THEN a ELSE b END",
        "SELECT FROM t WHERE CASE WHEN a THEN sk = 1 OR sk = 2 END",
        "SELECT FROM t WHERE d ->> 'x' = 'y' OR sk = 1",
        "SELECT FROM t WHERE NOT sk = 1",
        "SELECT FROM t WHERE NOT (d ->> 'x' = 'y' AND sk = 1)",
      })
  void noConditionOfAnOrOrANotIsBelieved(String sql) throws UnreadableException {
    assertThat(conditions("SELECT a " + sql.substring(7))).isEmpty();
  }

  /** Of all its alternatives together; the values are given by where they stand. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          WHERE sk = 1 OR sk = 2                                         | at27,at37
          WHERE sk = 1 AND d ->> 'x' = 'y' OR sk = 2                     | at27,at57
          WHERE sk = 1 AND b BETWEEN 2 AND 3 OR (sk) IN (4, 5)           |
          WHERE sk = 1 AND b BETWEEN 2 AND 3 OR sk IN (4, 5) AND NOT c   | at27,at61,at64
          WHERE sk = 1 OR (sk = 2 OR sk = 3) AND a                       | at27,at38,at48
          WHERE ((sk = 1 OR b AND sk = 2)) AND c                         | at29,at45
          """)
  void anOrTellsWhatAllItsAlternativesTell(String where, @Nullable String values)
      throws UnreadableException {
    assertThat(conditions("SELECT a FROM t " + where))
        .allMatch(claim -> claim.endsWith(" in " + values))
        .hasSize(values == null ? 0 : 1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT a FROM t WHERE sk = 1 AND d ->> 'x' = 'y'",
        "SELECT a FROM t WHERE sk = 1 AND d -> 'a' ->> 'b' IN ('c')",
        "SELECT a FROM t WHERE sk = 1 AND (d ->> 'x' = 'y' OR sk = 2)",
        "SELECT a FROM t WHERE sk = 1 AND a | b + 1 = 3",
        "SELECT a FROM t WHERE sk = 1 AND a #- '{b}' = c",
        "SELECT a FROM t WHERE sk = 1 AND ?- x",
        "SELECT a FROM t WHERE sk = 1 AND (a, b) ~~ (c, d)",
        "SELECT a FROM t WHERE sk = 1 AND b OPERATOR(pg_catalog.~) 'x'",
        "SELECT a FROM t WHERE sk = 1 AND b @? 'x' AND b <-> c < 3",
        "SELECT a FROM t WHERE sk = 1 AND a BETWEEN 2 AND 3 AND b",
      })
  void operatorsSwallowNothingOfTheCondition(String sql) throws UnreadableException {
    assertThat(conditions(sql)).containsExactly("where@14 sk@22 in at27");
  }

  @Test
  void conditionsBehindAnArrowAreSeen() throws UnreadableException {
    assertThat(conditions("SELECT a FROM t WHERE d ->> 'x' = 'y' AND sk = 1"))
        .containsExactly("where@14 sk@42 in at47");
  }

  /** What a backslash hides is text, and the condition is not in it. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT a FROM t WHERE name = E'\\' OR id = 5 --'",
        "SELECT a FROM t WHERE name = E'\\\\\\' OR id = 5 --'",
        "SELECT a FROM t WHERE name = e'x' '\\' OR id = 5 --'",
      })
  void aBackslashInAnEscapeStringHidesAQuote(String sql) throws UnreadableException {
    try {
      assertThat(conditions(sql)).containsExactly("where@14 name@22 in at29");
    } catch (ConcordException e) {
      assertThat(e.message()).contains("unterminated");
    } catch (UnreadableException e) {
      assertThat(e.construct()).contains("near");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT a FROM t WHERE name = '\\' OR id = 5",
        "SELECT a FROM t WHERE name = $$'$$ OR id = 5",
        "SELECT a FROM t WHERE name = $a$ $$ AND id = 6 AND $$ $a$ OR id = 5",
        "SELECT a FROM t WHERE name = U&'\\0027' OR id = 5",
        "SELECT a FROM t WHERE name = 'x' /* /* */ AND */ OR id = 5",
      })
  void stringsAndCommentsEndWhereTheServerSaysSo(String sql) throws UnreadableException {
    assertThat(conditions(sql)).isEmpty();
  }

  /** JSqlParser sees a column U, an operator and a string. */
  @Test
  void unicodeNotationIsOneConstantOrName() throws UnreadableException {
    assertThat(conditions("SELECT a FROM t WHERE U&\"\\0073k\" = U&'1' AND b = 2"))
        .containsExactly("where@14 b@45 in at49", "where@14 sk@22 in at35");
  }

  @Test
  void elementsAndFieldsOfColumnsAreAssignmentsToTheColumns() throws UnreadableException {
    assertThat(insert("INSERT INTO t (sk, c[2], d.f, e[1].g[1:2]) VALUES (1, 2, 3, 4)").columns())
        .containsExactly("sk", "c", "d", "e");
    assertThat(update("UPDATE t SET c[1] = 2, d.f = 3, e[1:2].g = 4 WHERE sk = 1"))
        .containsExactly("c", "d", "e");
    assertThat(update("UPDATE t SET (e[1], g.h) = ROW (4, 5) WHERE sk = 1"))
        .containsExactly("e", "g");
    assertThat(update("UPDATE t SET a = (b IS DISTINCT FROM c), d[1] = 3 WHERE sk = 1"))
        .containsExactly("a", "d");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        // loses the schema, and is spelt anew before it is read
        "TABLE s.t",
        // all ON at the end, likewise
        "SELECT a FROM t JOIN u JOIN v ON v.x = u.x ON u.x = t.x",
        // not PostgreSQL's
        "SELECT TOP 5 a FROM t",
        // its tree throws at the name
        "SELECT \"....a....\" FROM t",
        "SELECT a INTO u FROM t",
        "EXPLAIN SELECT 1",
      })
  void whatWouldLoseAPieceIsRefused(String sql) {
    assertThatThrownBy(() -> conditions(sql)).isInstanceOf(UnreadableException.class);
  }

  /** {@code a = b IS NULL} is {@code (a = b) IS NULL} to the server. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT a FROM t WHERE sk = 1 IS NULL",
        "SELECT a FROM t WHERE sk IS NULL = true",
        "SELECT a FROM t WHERE sk = 1 IS NOT TRUE",
        "SELECT a FROM t WHERE sk = 1 = false",
        "SELECT a FROM t WHERE sk = 1 < 2",
        "SELECT a FROM t WHERE sk = 1 COLLATE \"C\" || 'x'",
        "SELECT a FROM t WHERE sk = 1::text || 'x'",
        "SELECT a FROM t WHERE sk = 1 !~ 2",
        "SELECT a FROM t WHERE - sk = 1",
        "SELECT a FROM t WHERE b - sk = 1",
        "SELECT a FROM t WHERE b.* = sk",
        "SELECT a FROM t WHERE sk::text = '1'",
        "SELECT a FROM t WHERE sk[1] = 1",
        "SELECT a FROM t WHERE sk AT TIME ZONE 'x' = 1",
        "SELECT a FROM t WHERE sk = 1 AT TIME ZONE 'x'",
        "SELECT a FROM t WHERE sk = 1 OR true",
        "SELECT a FROM t WHERE sk = ALL (ARRAY[1])",
        "SELECT a FROM t WHERE sk <> ANY (ARRAY[1])",
        "SELECT a FROM t WHERE (sk, a) < (1, 2)",
        "SELECT a FROM t WHERE sk OPERATOR(my.=) 1",
        "SELECT a FROM t WHERE sk = NULL",
      })
  void whatIsPartOfALargerExpressionIsNoCondition(String sql) {
    try {
      assertThat(conditions(sql)).isEmpty();
    } catch (UnreadableException e) {
      assertThat(e.construct()).isNotEmpty();
    }
  }

  /** A word that is a value is no column, whatever columns there are. */
  @ParameterizedTest
  @ValueSource(strings = {"user", "current_user", "SESSION_USER", "current_date", "localtime"})
  void valuesThatLookLikeColumnsAreNone(String word) throws UnreadableException {
    assertThat(conditions("SELECT a FROM t WHERE sk = " + word)).isEmpty();
    assertThat(conditions("SELECT a FROM t WHERE sk = \"" + word + "\"")).hasSize(1);
  }

  @Test
  void labelsAreNotTakenForValues() throws UnreadableException {
    assertThat(claims("SELECT rank(1) WITHIN GROUP (ORDER BY a), b FROM t"))
        .containsExactly("item 1/2 b@42 as b");
    assertThat(claims("SELECT COLLATION FOR (a), b AS true FROM t"))
        .containsExactly("item 1/2 b@26 as true");
  }

  /** The SET of a CYCLE clause assigns nothing: fields behind it are those of the main query. */
  @Test
  void aCycleHidesNoColumnOfTheMainQuery() throws UnreadableException {
    String cte = "WITH RECURSIVE r AS (SELECT a FROM t) CYCLE a SET c USING p ";
    assertThat(claims(cte + "SELECT r.a, t.b FROM r, t"))
        .contains("item 0/2 r.a@67 as a", "item 1/2 t.b@72 as b");
  }

  /** Nested as a sum by the parser, but nothing is concluded from either. */
  @Test
  void aSumBehindAnotherOperatorIsOneValue() throws UnreadableException {
    assertThat(conditions("SELECT a FROM t WHERE sk = 'a' || 1 + 2")).isEmpty();
    assertThat(conditions("SELECT a FROM t WHERE sk = 1 AND 'a' || b + 1 = c"))
        .containsExactly("where@14 sk@22 in at27");
  }

  @Test
  void onlyTheFirstOfTwoStatementsWouldBeRead() {
    assertThatThrownBy(() -> StatementText.one("SELECT 1; DROP TABLE x"))
        .isInstanceOf(ConcordException.class);
  }

  private static List<String> conditions(String sql) throws UnreadableException {
    return claims(sql).stream().filter(c -> c.startsWith("where") || c.startsWith("on")).toList();
  }

  private static List<String> claims(String sql) throws UnreadableException {
    StatementText text = StatementText.one(sql);
    return new ViewShape(text, StatementReader.read(text, Set.of("t", "u", "v")))
        .claims().stream().sorted().toList();
  }

  private static StatementView.Insert insert(String sql) throws UnreadableException {
    return (StatementView.Insert) StatementReader.read(StatementText.one(sql), Set.of("t"));
  }

  private static List<String> update(String sql) throws UnreadableException {
    return ((StatementView.Update) StatementReader.read(StatementText.one(sql), Set.of("t")))
        .assigned();
  }
}
