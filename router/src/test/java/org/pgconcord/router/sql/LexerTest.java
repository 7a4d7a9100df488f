package org.pgconcord.router.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.error.ConcordException;

/** What the comparison with PostgreSQL's scanner leaves out, and the values of constants. */
class LexerTest {

  private static List<String> tokens(String sql) {
    Tokens tokens = Lexer.scan(sql);
    return IntStream.range(0, tokens.size()).mapToObj(tokens::text).toList();
  }

  private static String value(String sql) {
    Tokens tokens = Lexer.scan(sql);
    return LiteralText.of(tokens, 0).orElse("not read");
  }

  @Test
  void continuesStringsOverComments() {
    assertThat(tokens("'a' -- c\n -- d\n 'b' 'c'")).containsExactly("'a' -- c\n -- d\n 'b'", "'c'");
    assertThat(value("'a' -- it's\n 'b'")).isEqualTo("ab");
  }

  @Test
  void refusesLettersBehindParameters() {
    assertThatThrownBy(() -> Lexer.scan("SELECT $1a"))
        .isInstanceOf(ConcordException.class)
        .hasMessageContaining("trailing junk after parameter");
  }

  @Test
  void readsTheValuesOfStrings() {
    assertThat(value("'it''s'")).isEqualTo("it's");
    assertThat(value("'a\\'")).isEqualTo("a\\");
    assertThat(value("E'a\\'b\\n\\\\c''\\u00e9\\U0001F600'")).isEqualTo("a'b\n\\c'é😀");
    assertThat(value("E'\\x41\\1012\\x9\\xg'")).isEqualTo("AA2\txg");
    assertThat(value("E'\\xc3\\xa9'")).isEqualTo("not read");
    assertThat(value("$x$a'$$b$x$")).isEqualTo("a'$$b");
    assertThat(value("U&'d\\0061t\\+01F600\\\\'")).isEqualTo("dat😀\\");
    assertThat(value("U&'d!0061' UESCAPE '!'")).isEqualTo("not read");
    assertThat(value("B'01'")).isEqualTo("not read");
  }

  @Test
  void foldsAndCutsNames() {
    assertThat(name("UsErs")).isEqualTo("users");
    assertThat(name("ÜsErs")).isEqualTo("Üsers");
    assertThat(name("\"Us\"\"ers\"")).isEqualTo("Us\"ers");
    assertThat(name("U&\"\\0055sers\"")).isEqualTo("Users");
    assertThat(name("é".repeat(40))).isEqualTo("é".repeat(31));
  }

  private static String name(String sql) {
    return Names.of(Lexer.scan(sql), 0);
  }

  @Test
  void splitsAtSemicolons() {
    assertThat(StatementText.split("SELECT 1; ; SELECT ';'; -- SELECT 3;\n"))
        .extracting(StatementText::sql)
        .containsExactly("SELECT 1", "SELECT ';'");
    assertThat(StatementText.split("  SELECT 1 -- all of it\n"))
        .extracting(StatementText::sql)
        .containsExactly("  SELECT 1 -- all of it\n");
    assertThat(
            StatementText.split(
                "CREATE RULE r AS ON INSERT TO t DO ALSO (SELECT 1; SELECT 2); SELECT 3"))
        .hasSize(2);
    assertThat(
            StatementText.split(
                "CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT CASE WHEN true THEN 1 END;"
                    + " SELECT 2; END; SELECT 3"))
        .hasSize(2);
    assertThat(StatementText.split(" /* nothing */ ; ")).isEmpty();
  }
}
