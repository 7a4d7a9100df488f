package org.pgconcord.router.sql;

import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;

/**
 * PostgreSQL's scanner ({@code src/backend/parser/scan.l} of version 18), rule for rule, with
 * {@code standard_conforming_strings} on. Where flex takes the longest match, the order of the
 * tests here does; a test compares the result with PostgreSQL's own scanner over a corpus and over
 * random text.
 *
 * <p>A client chooses the text, so every difference would let it show the router another statement
 * than the server reads. What the scanner refuses (an unterminated string, {@code 1abc}) is refused
 * here with the same SQLSTATE.
 */
public final class Lexer {
  private static final String OPERATOR_CHARS = "~!@#^&|`?+-*/%<>=";
  private static final String SELF_CHARS = ",()[].;:+-*/%^<>=";

  /** Operators with one of these may end in {@code +} or {@code -}. */
  private static final String NON_SQL_OPERATOR_CHARS = "~!@#^&|`?%";

  private final String sql;
  private final Tokens.Builder tokens;
  private int at;

  private Lexer(String sql) {
    this.sql = sql;
    this.tokens = new Tokens.Builder(sql);
  }

  /**
   * The tokens of a text.
   *
   * @throws ConcordException with 42601 where PostgreSQL's scanner raises an error
   */
  public static Tokens scan(String sql) {
    Lexer lexer = new Lexer(sql);
    while (lexer.at < sql.length()) {
      lexer.next();
    }
    return lexer.tokens.build();
  }

  private void next() {
    char c = sql.charAt(at);
    if (isSpace(c)) {
      at++;
    } else if (startsWith("--")) {
      at = endOfLine(at);
    } else if (startsWith("/*")) {
      skipBlockComment();
    } else if (c == '\'') {
      quoted(TokenKind.STRING, at, at + 1);
    } else if (c == '"') {
      quotedName(TokenKind.QUOTED_NAME, at, at + 1);
    } else if (isNameStart(c)) {
      word(c);
    } else if (isDigit(c) || (c == '.' && isDigit(peek(1)))) {
      at = new NumberScan(sql, at).addTo(tokens);
    } else if (c == '$') {
      dollar();
    } else if (c == ':' || c == '.') {
      colonOrDot();
    } else if (OPERATOR_CHARS.indexOf(c) >= 0) {
      operator();
    } else {
      add(TokenKind.PUNCTUATION, at + 1);
    }
  }

  private void skipBlockComment() {
    int start = at;
    int depth = 1;
    at += 2;
    while (depth > 0) {
      if (at >= sql.length()) {
        throw error("unterminated /* comment", start);
      }
      if (startsWith("/*")) {
        depth++;
        at += 2;
      } else if (startsWith("*/")) {
        depth--;
        at += 2;
      } else {
        at++;
      }
    }
  }

  /** A name, a keyword, or the prefix of a string. */
  private void word(char c) {
    char next = peek(1);
    if (next == '\'' && (c == 'e' || c == 'E')) {
      quoted(TokenKind.ESCAPE_STRING, at, at + 2);
    } else if (next == '\'' && (c == 'b' || c == 'B')) {
      quoted(TokenKind.BIT_STRING, at, at + 2);
    } else if (next == '\'' && (c == 'x' || c == 'X')) {
      quoted(TokenKind.HEX_STRING, at, at + 2);
    } else if (next == '&' && (c == 'u' || c == 'U') && peek(2) == '\'') {
      quoted(TokenKind.UNICODE_STRING, at, at + 3);
    } else if (next == '&' && (c == 'u' || c == 'U') && peek(2) == '"') {
      quotedName(TokenKind.UNICODE_NAME, at, at + 3);
    } else {
      add(TokenKind.WORD, endOfName(at));
    }
  }

  /** Reads up to the closing quote and on where the string is continued on a later line. */
  private void quoted(TokenKind kind, int start, int contents) {
    boolean escapes = kind == TokenKind.ESCAPE_STRING;
    int i = contents;
    while (true) {
      if (i >= sql.length()) {
        throw error("unterminated quoted string", start);
      }
      char c = sql.charAt(i);
      if (c == '\\' && escapes) {
        i = endOfEscape(i, start);
      } else if (c != '\'') {
        i++;
      } else if (i + 1 < sql.length() && sql.charAt(i + 1) == '\'' && doubles(kind)) {
        i += 2;
      } else {
        int continued = continuation(i + 1);
        if (continued < 0) {
          at = start;
          add(kind, i + 1);
          return;
        }
        i = continued;
      }
    }
  }

  /** A backslash with u or U wants four or eight digits; else one character is escaped. */
  private int endOfEscape(int backslash, int start) {
    char c = backslash + 1 < sql.length() ? sql.charAt(backslash + 1) : ' ';
    int digits = c == 'u' ? 4 : c == 'U' ? 8 : 0;
    if (digits > 0 && UnicodeEscapes.hex(sql, backslash + 2, digits) < 0) {
      throw error("invalid Unicode escape", start);
    }
    if (isZeroByte(backslash + 1)) {
      throw error("invalid byte sequence", start);
    }
    return backslash + 2 + digits;
  }

  /** One to three octal digits, or {@code x} and one or two hexadecimal ones, all of them zeros. */
  private boolean isZeroByte(int from) {
    boolean hex = sql.startsWith("x", from);
    int i = hex ? from + 1 : from;
    int limit = Math.min(sql.length(), i + (hex ? 2 : 3));
    int first = i;
    while (i < limit && sql.charAt(i) == '0') {
      i++;
    }
    boolean more = i < limit && Character.digit(sql.charAt(i), hex ? 16 : 8) > 0;
    return i > first && !more;
  }

  /** Bit strings have no doubled quote: {@code B'0''1'} is two strings. */
  private static boolean doubles(TokenKind kind) {
    return kind != TokenKind.BIT_STRING && kind != TokenKind.HEX_STRING;
  }

  /**
   * The index behind the opening quote of a continuation: blanks and {@code --} comments with at
   * least one newline among them, then a quote. -1 when there is none.
   */
  private int continuation(int from) {
    boolean newline = false;
    int i = from;
    while (i < sql.length()) {
      char c = sql.charAt(i);
      if (isSpace(c)) {
        newline |= c == '\n' || c == '\r';
        i++;
      } else if (sql.startsWith("--", i)) {
        i = endOfLine(i);
      } else {
        return c == '\'' && newline ? i + 1 : -1;
      }
    }
    return -1;
  }

  private void quotedName(TokenKind kind, int start, int contents) {
    int i = contents;
    while (true) {
      int quote = sql.indexOf('"', i);
      if (quote < 0) {
        throw error("unterminated quoted identifier", start);
      }
      if (!sql.startsWith("\"\"", quote)) {
        if (quote == contents) {
          throw error("zero-length delimited identifier", start);
        }
        at = start;
        add(kind, quote + 1);
        return;
      }
      i = quote + 2;
    }
  }

  /** A parameter, a dollar-quoted string, or a lone dollar sign. */
  private void dollar() {
    if (isDigit(peek(1))) {
      int end = at + 1;
      while (end < sql.length() && isDigit(sql.charAt(end))) {
        end++;
      }
      if (end < sql.length() && isNameStart(sql.charAt(end))) {
        throw error("trailing junk after parameter", at);
      }
      add(TokenKind.PARAMETER, end);
      return;
    }
    int tagEnd = endOfDollarTag();
    if (tagEnd < 0) {
      add(TokenKind.PUNCTUATION, at + 1);
      return;
    }
    String tag = sql.substring(at, tagEnd);
    int close = sql.indexOf(tag, tagEnd);
    if (close < 0) {
      throw error("unterminated dollar-quoted string", at);
    }
    add(TokenKind.DOLLAR_STRING, close + tag.length());
  }

  /** The index behind {@code $tag$}, or -1 when no such tag starts here. */
  private int endOfDollarTag() {
    int i = at + 1;
    if (i < sql.length() && isNameStart(sql.charAt(i))) {
      while (i < sql.length() && (isNameStart(sql.charAt(i)) || isDigit(sql.charAt(i)))) {
        i++;
      }
    }
    return i < sql.length() && sql.charAt(i) == '$' ? i + 1 : -1;
  }

  private void colonOrDot() {
    if (startsWith("::")) {
      add(TokenKind.TYPECAST, at + 2);
    } else if (startsWith(":=") || startsWith("..")) {
      add(TokenKind.OPERATOR, at + 2);
    } else {
      add(TokenKind.PUNCTUATION, at + 1);
    }
  }

  /**
   * The longest run of operator characters, cut where a comment starts in it, and without {@code +}
   * or {@code -} at its end unless it holds a character that no SQL operator has.
   */
  private void operator() {
    int end = at;
    while (end < sql.length()
        && OPERATOR_CHARS.indexOf(sql.charAt(end)) >= 0
        && !(end > at && (sql.startsWith("--", end) || sql.startsWith("/*", end)))) {
      end++;
    }
    if (!hasNonSqlChar(at, end - 1)) {
      while (end - at > 1 && (sql.charAt(end - 1) == '+' || sql.charAt(end - 1) == '-')) {
        end--;
      }
    }
    add(TokenKind.OPERATOR, end);
  }

  private boolean hasNonSqlChar(int from, int to) {
    for (int i = from; i < to; i++) {
      if (NON_SQL_OPERATOR_CHARS.indexOf(sql.charAt(i)) >= 0) {
        return true;
      }
    }
    return false;
  }

  private void add(TokenKind kind, int end) {
    tokens.add(kind, at, end);
    at = end;
  }

  private boolean startsWith(String text) {
    return sql.startsWith(text, at);
  }

  private char peek(int ahead) {
    return at + ahead < sql.length() ? sql.charAt(at + ahead) : '\0';
  }

  private int endOfLine(int from) {
    int i = from;
    while (i < sql.length() && sql.charAt(i) != '\n' && sql.charAt(i) != '\r') {
      i++;
    }
    return i;
  }

  private int endOfName(int from) {
    int i = from;
    while (i < sql.length() && isNamePart(sql.charAt(i))) {
      i++;
    }
    return i;
  }

  static boolean isSpace(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
  }

  static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  /** Every byte of a non-ASCII character counts as a letter. */
  static boolean isNameStart(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 0x80;
  }

  static boolean isNamePart(char c) {
    return isNameStart(c) || isDigit(c) || c == '$';
  }

  /** True for an operator token of one character that the grammar knows by itself. */
  static boolean isSelf(String operator) {
    return operator.length() == 1 && SELF_CHARS.contains(operator);
  }

  private ConcordException error(String what, int from) {
    return syntaxError(sql, what, from);
  }

  static ConcordException syntaxError(String sql, String what, int from) {
    int shown = Math.min(sql.length(), from + 20);
    return ErrorCode.SQL_SYNTAX.because(
        what + " at or near \"" + sql.substring(from, shown) + "\"");
  }
}
