package org.pgconcord.router.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import net.sf.jsqlparser.JSQLParserException;
import net.sf.jsqlparser.parser.CCJSqlParserUtil;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Our own sample of statements: each node of what is read is where PostgreSQL has it. */
@Tag("long")
class StructureAgainstPostgresTest {
  private static final Path SAMPLE = Path.of("src/test/resources/reading/sample.cases");

  @Test
  void nestsTheSampleAsPostgresDoes() throws IOException {
    List<String> statements =
        Stream.of(Files.readString(SAMPLE).split("\n\n+")).map(b -> b.split("\n=>")[0]).toList();
    StructureComparison found = StructureComparison.of(PostgresOracle.start(), statements);
    assertThat(found.differences()).isEmpty();
    assertThat(found.left()).hasSizeLessThan(10);
    assertThat(found.compared()).isGreaterThan(500);
  }

  @Test
  void seesAnotherNesting() throws JSQLParserException {
    assertThat(otherwise("a OR b AND c", "(a OR b) AND c")).startsWith("nested");
    assertThat(otherwise("a - b - c", "a - (b - c)")).startsWith("nested");
    assertThat(otherwise("NOT a = b", "(NOT a) = b")).startsWith("nested");
    assertThat(otherwise("a OR b AND c", "(a OR (b AND c))")).isEmpty();
  }

  /** Of one condition, read as another. */
  private static String otherwise(String written, String read) throws JSQLParserException {
    String sql = "SELECT x FROM t WHERE ";
    String bracketed = BracketedTree.write(CCJSqlParserUtil.parse(sql + read));
    PostgresOracle.Texts texts =
        new PostgresOracle.Texts(sql + written, sql + written, bracketed, List.of(0));
    return PostgresOracle.start().structures(List.of(texts)).get(0).orElse("");
  }
}
