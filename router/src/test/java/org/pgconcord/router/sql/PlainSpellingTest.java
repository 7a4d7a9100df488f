package org.pgconcord.router.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Two spellings of one statement, and names that only PostgreSQL lets a column have. */
class PlainSpellingTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          TABLE t                                        | SELECT * FROM t
          (table only a.t) UNION TABLE u                 | (SELECT * FROM only a.t) UNION SELECT * FROM u
          INSERT INTO a.t AS x TABLE u                   | INSERT INTO a.t AS x SELECT * FROM u
          SELECT U&"d!0061t" UESCAPE '!'                 | SELECT "dat"
          SELECT U&'!0027\\' UESCAPE '!'                 | SELECT '''\\'
          SELECT * FROM (a JOIN b USING (x)) AS j        | SELECT * FROM (SELECT * FROM a JOIN b USING (x)) AS j
          SELECT * FROM a JOIN b LEFT JOIN c ON 1 ON 2   | SELECT * FROM a JOIN ( b LEFT JOIN c ON 1) ON 2
          SELECT * FROM a JOIN b CROSS JOIN c ON 1       | SELECT * FROM a JOIN ( b CROSS JOIN c) ON 1
          DELETE FROM t USING a JOIN b JOIN c ON 1 ON 2  | DELETE FROM t USING a JOIN ( b JOIN c ON 1) ON 2
          """)
  void isOneStatement(String written, String plain) {
    assertThat(PlainSpelling.of(StatementText.one(written)).sql()).isEqualTo(plain);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT a AS table, t.table FROM t",
        "REINDEX (VERBOSE) TABLE t",
        "CREATE TABLE t AS TABLE u",
        "SELECT U&'!00' UESCAPE '!'",
        "SELECT * FROM (a JOIN b USING (x)) JOIN c USING (x)",
        "SELECT * FROM a JOIN (b JOIN c ON 1) ON 2 JOIN (SELECT 1) d ON 3",
        "SELECT * FROM a CROSS JOIN b NATURAL LEFT JOIN c JOIN d ON 1",
        "SELECT * FROM a JOIN b ON (SELECT 1 FROM c JOIN d ON 2) = 1 JOIN e ON 3",
        "SELECT * FROM (a JOIN LATERAL f(b.x) ON 1) AS j",
        "INSERT INTO t SELECT * FROM a JOIN b ON 1 ON CONFLICT DO NOTHING",
        "SELECT (a) AS b, count(*) n FROM t JOIN u ON (t.x = u.x)",
      })
  void isLeftAsItIs(String written) {
    StatementText text = StatementText.one(written);
    assertThat(PlainSpelling.of(text)).isSameAs(text);
  }

  /** The parser has words that are not PostgreSQL's, or not reserved there. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "absent", "bigint", "csv", "current", "decimal", "double", "enum", "float", "force",
        "import", "int", "integer", "nchar", "numeric", "precision", "prior", "real", "returns",
        "settings", "smallint", "statement", "unbounded", "unknown", "varchar", "varying"
      })
  void anyWordOfPostgresThatCanBeAColumnIsOne(String word) throws UnreadableException {
    String where = " FROM t WHERE %s = 1 AND t.%s = 2 AND sk = 3 ORDER BY %s".replace("%s", word);
    StatementText text = StatementText.one("SELECT %s, t.%s".replace("%s", word) + where);
    assertThat(new ViewShape(text, StatementReader.read(text, Set.of("t"))).claims())
        .filteredOn(claim -> claim.contains(word + "@"))
        .hasSize(4);
    StatementText update =
        StatementText.one("UPDATE t SET %s = %s + 1 WHERE sk = 1".replace("%s", word));
    StatementView.Update view = (StatementView.Update) StatementReader.read(update, Set.of("t"));
    assertThat(view.assigned()).containsExactly(word);
  }

  @Test
  void typesStayTypes() throws UnreadableException {
    StatementText text =
        StatementText.one(
            "SELECT a::double precision, CAST(a AS float), f(a::varchar, int '3', numeric '4')"
                + " FROM t WHERE a IS NOT UNKNOWN AND sk = 3::bigint");
    assertThat(new ViewShape(text, StatementReader.read(text, Set.of("t"))).claims())
        .anyMatch(claim -> claim.contains("sk@") && claim.endsWith("::int8"));
  }
}
