package org.pgconcord.router.plan;

import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.router.sql.LiteralText;
import org.pgconcord.router.sql.Names;
import org.pgconcord.router.sql.TokenKind;
import org.pgconcord.router.sql.Tokens;

/**
 * The options of EXPLAIN, read as PostgreSQL reads them: in parentheses, or ANALYZE and VERBOSE as
 * words; of one that is given twice the last counts. Without ROUTER a shard judges them.
 *
 * @param values as written, folded; an option without a value has none
 * @param statement the first token of what is explained
 */
record ExplainOptions(Map<String, Optional<String>> values, int statement) {
  private static final String ANALYZE = "analyze";

  ExplainOptions {
    values = Map.copyOf(values);
  }

  static ExplainOptions read(Tokens tokens) {
    boolean query = tokens.isAnyWord(2, "select", "with", "values", "table");
    Map<String, Optional<String>> values = new TreeMap<>();
    int at = 1;
    if (tokens.isSymbol(1, "(") && !query && !tokens.isSymbol(2, "(")) {
      at = inParentheses(tokens, values);
    } else {
      while (tokens.isAnyWord(at, ANALYZE, "analyse", "verbose")) {
        values.put(name(tokens, at), Optional.empty());
        at++;
      }
    }
    if (at >= tokens.size()) {
      throw ErrorCode.SQL_SYNTAX.because("syntax error at end of input");
    }
    return new ExplainOptions(values, at);
  }

  /** The token behind the closing parenthesis. */
  private static int inParentheses(Tokens tokens, Map<String, Optional<String>> values) {
    int at = 1;
    do {
      at++;
      requireName(tokens, at);
      String name = name(tokens, at);
      at++;
      int from = at;
      while (at < tokens.size() && !tokens.isSymbol(at, ",") && !tokens.isSymbol(at, ")")) {
        refuseQuoted(tokens, at);
        at++;
      }
      values.put(name, value(tokens, from, at));
    } while (tokens.isSymbol(at, ","));
    if (at >= tokens.size()) {
      throw ErrorCode.SQL_SYNTAX.because("syntax error at end of input");
    }
    return at + 1;
  }

  private static void requireName(Tokens tokens, int at) {
    if (at >= tokens.size()) {
      throw ErrorCode.SQL_SYNTAX.because("syntax error at end of input");
    }
    refuseQuoted(tokens, at);
    if (!tokens.kind(at).isName()) {
      throw syntax(tokens, at);
    }
  }

  /** {@code ("analyze")} means the option too; read as another it would run a write unseen. */
  private static void refuseQuoted(Tokens tokens, int at) {
    if (tokens.kind(at).isName() && tokens.kind(at) != TokenKind.WORD) {
      throw ErrorCode.SQL_COMMAND.because("the options of EXPLAIN are written without quotes");
    }
  }

  private static String name(Tokens tokens, int at) {
    String name = Names.fold(tokens.text(at));
    return name.equals("analyse") ? ANALYZE : name;
  }

  /** A word, a string or a number, which may have a sign. */
  private static Optional<String> value(Tokens tokens, int from, int to) {
    if (from == to) {
      return Optional.empty();
    }
    boolean signed = to - from == 2 && (tokens.isSymbol(from, "-") || tokens.isSymbol(from, "+"));
    if (to - from > 1 && !signed) {
      throw syntax(tokens, from + 1);
    }
    String written = tokens.sql().substring(tokens.start(from), tokens.end(to - 1));
    return Optional.of(
        tokens.kind(from).isString() ? LiteralText.of(tokens, from).orElse(written) : written);
  }

  private static ConcordException syntax(Tokens tokens, int at) {
    return ErrorCode.SQL_SYNTAX.because(
        "syntax error at or near \"%s\"".formatted(tokens.text(at)));
  }

  // --- what they say ---------------------------------------------------------------------------

  /** Anything but a clear no runs the statement; a value that is neither a shard refuses. */
  boolean mayAnalyze() {
    return values.containsKey(ANALYZE)
        && values.get(ANALYZE).map(value -> isTrue(value).orElse(true)).orElse(true);
  }

  /** The word of FORMAT; text without it. */
  String format() {
    return values
        .getOrDefault("format", Optional.empty())
        .map(format -> format.toLowerCase(Locale.ROOT))
        .orElse("text");
  }

  boolean router() {
    if (!values.containsKey("router")) {
      return false;
    }
    if (!on("router")) {
      throw ErrorCode.EXPLAIN_OPTION
          .because("EXPLAIN option ROUTER cannot be off")
          .withHint("Leave it out for the plans of the shards.");
    }
    return true;
  }

  /** With ROUTER, which has no shard that judges them. */
  RouterOptions ofRouter() {
    for (String name : values.keySet()) {
      switch (name) {
        case "router", ANALYZE, "verbose", "format" -> {}
        case "costs",
            "buffers",
            "wal",
            "settings",
            "generic_plan",
            "timing",
            "summary",
            "serialize",
            "memory" ->
            throw ErrorCode.EXPLAIN_OPTION.because(
                "EXPLAIN option %s cannot be used with ROUTER"
                    .formatted(name.toUpperCase(Locale.ROOT)));
        default ->
            throw ErrorCode.SQL_SYNTAX.because(
                "unrecognized EXPLAIN option \"%s\"".formatted(name));
      }
    }
    return new RouterOptions(on(ANALYZE), on("verbose"), planFormat());
  }

  /** What EXPLAIN (ROUTER) takes. */
  record RouterOptions(boolean analyze, boolean verbose, PlanFormat format) {}

  private PlanFormat planFormat() {
    if (!values.containsKey("format")) {
      return PlanFormat.TEXT;
    }
    String word =
        values
            .get("format")
            .orElseThrow(() -> ErrorCode.SQL_SYNTAX.because("format requires a parameter"));
    for (PlanFormat format : PlanFormat.values()) {
      if (format.name().equals(word.toUpperCase(Locale.ROOT))) {
        return format;
      }
    }
    throw ErrorCode.EXPLAIN_OPTION.because(
        "unrecognized value for EXPLAIN option \"format\": \"%s\"".formatted(word));
  }

  private boolean on(String name) {
    Optional<String> value = values.getOrDefault(name, Optional.of("off"));
    return value.isEmpty()
        || isTrue(value.get())
            .orElseThrow(() -> ErrorCode.SQL_SYNTAX.because(name + " requires a Boolean value"));
  }

  private static Optional<Boolean> isTrue(String value) {
    return switch (value.toLowerCase(Locale.ROOT)) {
      case "true", "on", "1" -> Optional.of(true);
      case "false", "off", "0" -> Optional.of(false);
      default -> Optional.empty();
    };
  }
}
