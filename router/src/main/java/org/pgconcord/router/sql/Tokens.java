package org.pgconcord.router.sql;

import java.util.Arrays;

/**
 * The tokens of one text, as parallel arrays: kind, start and end (exclusive) as offsets into the
 * text's UTF-16 units. Immutable once {@link Builder#build} has returned it.
 */
public final class Tokens {
  private final String sql;
  private final TokenKind[] kinds;
  private final int[] starts;
  private final int[] ends;
  private final int size;

  private Tokens(String sql, TokenKind[] kinds, int[] starts, int[] ends, int size) {
    this.sql = sql;
    this.kinds = kinds;
    this.starts = starts;
    this.ends = ends;
    this.size = size;
  }

  public int size() {
    return size;
  }

  public TokenKind kind(int token) {
    return kinds[token];
  }

  public int start(int token) {
    return starts[token];
  }

  public int end(int token) {
    return ends[token];
  }

  /** The token's own characters. */
  public String text(int token) {
    return sql.substring(starts[token], ends[token]);
  }

  /** True for the unquoted word {@code word} (lower case) in any case; false out of range. */
  public boolean isWord(int token, String word) {
    return token >= 0
        && token < size
        && kinds[token] == TokenKind.WORD
        && ends[token] - starts[token] == word.length()
        && sql.regionMatches(true, starts[token], word, 0, word.length());
  }

  /** True when the token is any of the unquoted words. */
  public boolean isAnyWord(int token, String... words) {
    for (String word : words) {
      if (isWord(token, word)) {
        return true;
      }
    }
    return false;
  }

  /** True for the punctuation or operator {@code symbol}; false out of range. */
  public boolean isSymbol(int token, String symbol) {
    return token >= 0
        && token < size
        && (kinds[token] == TokenKind.PUNCTUATION
            || kinds[token] == TokenKind.OPERATOR
            || kinds[token] == TokenKind.TYPECAST)
        && ends[token] - starts[token] == symbol.length()
        && sql.startsWith(symbol, starts[token]);
  }

  /** The same tokens from {@code from} to {@code to} (exclusive), for the same text. */
  public Tokens range(int from, int to) {
    return new Tokens(
        sql,
        Arrays.copyOfRange(kinds, from, to),
        Arrays.copyOfRange(starts, from, to),
        Arrays.copyOfRange(ends, from, to),
        to - from);
  }

  /** The text that the offsets refer to. */
  public String sql() {
    return sql;
  }

  /** Collects tokens in the order of the text. */
  static final class Builder {
    private final String sql;
    private TokenKind[] kinds = new TokenKind[32];
    private int[] starts = new int[32];
    private int[] ends = new int[32];
    private int size;

    Builder(String sql) {
      this.sql = sql;
    }

    void add(TokenKind kind, int start, int end) {
      if (size == kinds.length) {
        kinds = Arrays.copyOf(kinds, size * 2);
        starts = Arrays.copyOf(starts, size * 2);
        ends = Arrays.copyOf(ends, size * 2);
      }
      kinds[size] = kind;
      starts[size] = start;
      ends[size++] = end;
    }

    Tokens build() {
      return new Tokens(sql, kinds, starts, ends, size);
    }
  }
}
