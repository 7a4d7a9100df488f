package org.pgconcord.router.sql;

import java.util.Arrays;
import java.util.Locale;
import java.util.Set;

/**
 * The text that JSqlParser sees instead of the client's. It exists because JSqlParser is neither a
 * PostgreSQL scanner nor a PostgreSQL grammar, and each rewrite removes a way in which it would
 * read another statement than the server:
 *
 * <ul>
 *   <li>a string or number becomes a plain constant whose value is the index of its token: {@code
 *       E'\' OR id = 5 --'} could otherwise show conditions that are text, and the value leads back
 *       to the original;
 *   <li>{@code type 'text'} becomes a CAST, which is the form it can read;
 *   <li>every infix operator other than comparison and arithmetic becomes {@code ||}, since the
 *       server gives them all one precedence, while {@code ->>} and its kin would swallow the rest
 *       of a condition; prefix operators but plus and minus vanish;
 *   <li>what only PostgreSQL writes so ({@code AS true}, {@code t*}, {@code a[2:]}) is written as
 *       others do ({@link PostgresForms});
 *   <li>comments are gone and names keep their quotes.
 * </ul>
 *
 * The result is never sent anywhere.
 */
final class AnalysisText {
  private static final Set<String> KEPT_OPERATORS =
      Set.of("=", "<", ">", "<=", ">=", "<>", "!=", "+", "-", "*", "/", "%");
  private static final Set<String> INTERVAL_FIELDS =
      Set.of("year", "month", "day", "hour", "minute", "second", "to");

  private final Tokens tokens;
  private final String[] pieces;
  private final int[] offsets;
  private final String text;

  private AnalysisText(Tokens tokens, Clauses clauses) throws UnreadableException {
    this.tokens = tokens;
    this.pieces = new String[tokens.size()];
    this.offsets = new int[tokens.size()];
    for (int i = 0; i < pieces.length; i++) {
      pieces[i] = piece(i);
    }
    for (int i = 0; i < pieces.length; i++) {
      rewriteOperatorCall(i);
      rewriteTypedLiteral(i);
    }
    new PostgresForms(tokens, clauses, pieces).rewrite();
    this.text = joined();
  }

  static AnalysisText of(Tokens tokens, Clauses clauses) throws UnreadableException {
    return new AnalysisText(tokens, clauses);
  }

  String text() {
    return text;
  }

  /** The token whose piece holds the character at {@code offset}. */
  int tokenAt(int offset) {
    int found = Arrays.binarySearch(offsets, offset);
    return found >= 0 ? found : -found - 2;
  }

  /** What the client wrote there. */
  String originalAt(int offset) {
    int token = tokenAt(offset);
    return token < 0 ? "" : tokens.text(token);
  }

  private String joined() {
    StringBuilder out = new StringBuilder();
    for (int i = 0; i < pieces.length; i++) {
      offsets[i] = out.length();
      out.append(pieces[i]).append(' ');
    }
    return out.toString();
  }

  private String piece(int i) throws UnreadableException {
    return switch (tokens.kind(i)) {
      case STRING, ESCAPE_STRING, UNICODE_STRING, DOLLAR_STRING, BIT_STRING, HEX_STRING ->
          "'" + i + "'";
      case INTEGER, NUMERIC -> Integer.toString(i);
      case PARAMETER -> "?" + tokens.text(i).substring(1);
      case UNICODE_NAME -> unicodeName(i);
      case OPERATOR -> operator(i);
      case WORD -> word(i);
      default -> tokens.text(i);
    };
  }

  /**
   * JSqlParser has keywords of other databases ({@code settings}, {@code final}): a word that is
   * none of PostgreSQL's is quoted where it is a name, so that it stays one.
   */
  private String word(int i) {
    String text = tokens.text(i);
    boolean type =
        tokens.isWord(i - 1, "as")
            || (i > 0 && tokens.kind(i - 1) == TokenKind.TYPECAST)
            || (i + 1 < tokens.size() && tokens.kind(i + 1).isString());
    boolean kept = Keywords.isKeyword(text) && !isName(i, Names.fold(text));
    return type || tokens.isSymbol(i + 1, "(") || kept ? text : '"' + Names.fold(text) + '"';
  }

  /** A keyword that the parser takes for no name, where to PostgreSQL it can be nothing else. */
  private boolean isName(int i, String word) {
    return switch (word) {
      case "csv", "enum", "force", "import", "prior", "returns", "statement" -> true;
      case "absent" -> !tokens.isWord(i + 1, "on");
      case "current" -> !tokens.isAnyWord(i + 1, "row", "of");
      case "unbounded" -> !tokens.isAnyWord(i + 1, "preceding", "following");
      case "unknown" -> !tokens.isAnyWord(i - 1, "is", "not");
      case "double" -> !tokens.isWord(i + 1, "precision") && !endsOperand(i - 1);
      default ->
          Keywords.TYPES.contains(word) && (tokens.isSymbol(i - 1, ".") || !endsOperand(i - 1));
    };
  }

  private String unicodeName(int i) throws UnreadableException {
    if (tokens.isWord(i + 1, "uescape")) {
      throw new UnreadableException("UESCAPE");
    }
    return '"' + Names.of(tokens, i).replace("\"", "\"\"") + '"';
  }

  private String operator(int i) {
    String operator = tokens.text(i);
    if (KEPT_OPERATORS.contains(operator)) {
      return operator;
    } else if (operator.equals("^")) {
      return "*";
    }
    return endsOperand(i - 1) ? "||" : "";
  }

  /** True when an operator behind this token has a left operand. */
  private boolean endsOperand(int i) {
    if (i < 0) {
      return false;
    }
    return switch (tokens.kind(i)) {
      case WORD -> !Keywords.BEFORE_EXPRESSION.contains(tokens.text(i).toLowerCase(Locale.ROOT));
      case OPERATOR, TYPECAST -> false;
      case PUNCTUATION -> tokens.isSymbol(i, ")") || tokens.isSymbol(i, "]");
      default -> true;
    };
  }

  /** {@code OPERATOR(schema.op)} is an operator of the same precedence as all the others. */
  private void rewriteOperatorCall(int i) {
    if (!tokens.isWord(i, "operator") || !tokens.isSymbol(i + 1, "(")) {
      return;
    }
    int close = i + 2;
    while (close < pieces.length && !tokens.isSymbol(close, ")")) {
      close++;
    }
    if (close < pieces.length) {
      pieces[i] = endsOperand(i - 1) ? "||" : "";
      Arrays.fill(pieces, i + 1, close + 1, "");
    }
  }

  private void rewriteTypedLiteral(int i) throws UnreadableException {
    if (!tokens.kind(i).isString()) {
      return;
    }
    if (tokens.isWord(i + 1, "uescape")) {
      if (i + 2 >= pieces.length || !tokens.kind(i + 2).isString()) {
        throw new UnreadableException("UESCAPE");
      }
      pieces[i + 1] = "";
      pieces[i + 2] = "";
    }
    int type = typeStart(i);
    if (type >= 0) {
      pieces[type] = "CAST(" + pieces[i] + " AS " + pieces[type];
      pieces[i] = ")";
      dropIntervalFields(i + 1);
    }
  }

  /** The first token of a type's name that ends right before {@code literal}, or -1. */
  private int typeStart(int literal) {
    int last = literal - 1;
    if (last < 0 || !tokens.kind(last).isName() || tokens.isWord(last, "uescape")) {
      return -1;
    }
    if (tokens.kind(last) == TokenKind.WORD
        && Keywords.BEFORE_EXPRESSION.contains(tokens.text(last).toLowerCase(Locale.ROOT))) {
      return timeZoneType(last);
    }
    if (tokens.isWord(last, "precision") && tokens.isWord(last - 1, "double")) {
      return last - 1;
    }
    if (tokens.isWord(last, "varying")) {
      return last - 1;
    }
    int first = last;
    while (tokens.isSymbol(first - 1, ".") && first >= 2 && tokens.kind(first - 2).isName()) {
      first -= 2;
    }
    return first;
  }

  /** {@code timestamp with time zone '..'}, but not {@code AT TIME ZONE '..'}. */
  private int timeZoneType(int last) {
    boolean zone =
        tokens.isWord(last, "zone")
            && tokens.isWord(last - 1, "time")
            && tokens.isAnyWord(last - 2, "with", "without")
            && tokens.isAnyWord(last - 3, "time", "timestamp");
    return zone ? last - 3 : -1;
  }

  private void dropIntervalFields(int from) {
    for (int i = from;
        i < pieces.length
            && tokens.kind(i) == TokenKind.WORD
            && INTERVAL_FIELDS.contains(tokens.text(i).toLowerCase(Locale.ROOT));
        i++) {
      pieces[i] = "";
      if (tokens.isSymbol(i + 1, "(")) { // SECOND(3)
        Arrays.fill(pieces, i + 1, Math.min(i + 4, pieces.length), "");
      }
    }
  }
}
