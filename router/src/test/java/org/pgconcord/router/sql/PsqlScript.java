package org.pgconcord.router.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.pgconcord.config.error.ConcordException;

/** The SQL statements of a script for psql: without its own commands and the data of COPY. */
final class PsqlScript {
  private static final Pattern COPY_DATA = Pattern.compile("(?i)\\bfrom\\s+stdin\\b.*;");

  /** {@code \gset}, {@code \;} and the like send or separate what stands before them. */
  private static final Pattern SENDS = Pattern.compile("\\s\\\\(g|cross|;|watch|bind|parse).*$");

  private PsqlScript() {}

  static List<String> statements(String script) {
    List<String> statements = new ArrayList<>();
    StringBuilder rest = new StringBuilder();
    boolean data = false;
    for (String line : script.split("\n")) {
      if (data) {
        data = !line.equals("\\.");
      } else if (line.startsWith("\\")) {
        rest.append(";\n");
      } else {
        rest.append(SENDS.matcher(line).replaceFirst(";")).append('\n');
        data = COPY_DATA.matcher(line).find();
      }
      if (line.endsWith(";") && endsHere(rest.toString(), statements)) {
        rest.setLength(0);
      }
    }
    endsHere(rest + ";", statements);
    return statements;
  }

  /** Adds the statements of a text that ends with one; false when it ends within one. */
  private static boolean endsHere(String text, List<String> statements) {
    try {
      Tokens tokens = Lexer.scan(text);
      List<StatementText> found = StatementText.split(text);
      if (tokens.size() == 0 || !ends(tokens)) {
        return false;
      }
      found.stream().map(s -> bare(s)).filter(s -> !s.isEmpty()).forEach(statements::add);
      return true;
    } catch (ConcordException e) {
      // An open string or comment; one that never ends is given up after a screenful.
      return text.length() > 20_000;
    }
  }

  private static boolean ends(Tokens tokens) {
    SplitState state = new SplitState(tokens);
    int from = 0;
    boolean ended = false;
    for (int i = 0; i < tokens.size(); i++) {
      ended = state.ends(i, from);
      from = ended ? i + 1 : from;
    }
    return ended;
  }

  private static String bare(StatementText statement) {
    Tokens tokens = statement.tokens();
    return tokens.size() == 0
        ? ""
        : statement.sql().substring(tokens.start(0), tokens.end(tokens.size() - 1));
  }
}
