package org.pgconcord.router.sql;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import net.sf.jsqlparser.statement.Statement;
import org.pgconcord.config.error.ConcordException;

/**
 * Whether statements that are read are the same trees here and to PostgreSQL, node for node: what
 * is made of a client's text for the parser ({@link AnalysisText}) against that text, and how the
 * parser nests it ({@link BracketedTree}) against PostgreSQL's nesting of the same.
 *
 * @param compared how many are the same
 * @param left those that are not compared, with the reason
 * @param differences those that are another tree, with it
 */
record StructureComparison(int compared, List<String> left, List<String> differences) {

  static StructureComparison of(PostgresOracle oracle, List<String> statements) {
    List<PostgresOracle.Texts> texts = new ArrayList<>();
    statements.forEach(sql -> texts(sql).ifPresent(texts::add));
    List<Optional<String>> found = oracle.structures(texts);
    int same = 0;
    List<String> left = new ArrayList<>();
    List<String> differences = new ArrayList<>();
    for (int i = 0; i < texts.size(); i++) {
      PostgresOracle.Texts t = texts.get(i);
      String words = found.get(i).orElse("");
      if (words.isEmpty()) {
        same++;
      } else if (!words.equals("not compared: no statement")) {
        (words.startsWith("not compared") ? left : differences)
            .add(String.join("\n", words, t.written(), t.analysed(), t.bracketed()));
      }
    }
    return new StructureComparison(same, left, differences);
  }

  /** Empty where the statement is not read. */
  private static Optional<PostgresOracle.Texts> texts(String sql) {
    try {
      StatementText text = PlainSpelling.of(StatementText.one(sql));
      StatementReader.read(text, Set.of());
      Tokens tokens = text.tokens();
      AnalysisText analysed = AnalysisText.of(tokens, new Clauses(tokens));
      Statement tree = StatementReader.parse(analysed);
      return Optional.of(
          new PostgresOracle.Texts(
              text.sql(),
              parameters(analysed.text()),
              parameters(BracketedTree.write(tree)),
              starts(tokens)));
    } catch (UnreadableException | ConcordException e) {
      return Optional.empty();
    }
  }

  private static String parameters(String analysed) {
    return analysed.replaceAll("\\?(\\d+)", "\\$$1");
  }

  /** In bytes. */
  private static List<Integer> starts(Tokens tokens) {
    List<Integer> starts = new ArrayList<>();
    int bytes = 0;
    int from = 0;
    for (int i = 0; i < tokens.size(); i++) {
      String between = tokens.sql().substring(from, tokens.start(i));
      bytes += between.getBytes(StandardCharsets.UTF_8).length;
      from = tokens.start(i);
      starts.add(bytes);
    }
    return starts;
  }
}
