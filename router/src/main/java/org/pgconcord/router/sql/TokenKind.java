package org.pgconcord.router.sql;

/** What PostgreSQL's scanner makes of a piece of text. Blanks and comments are no tokens. */
public enum TokenKind {
  /** An unquoted name or a keyword. */
  WORD,
  /** {@code "name"}. */
  QUOTED_NAME,
  /** {@code U&"name"}. */
  UNICODE_NAME,
  /** {@code 'text'}, continued over newlines where the client did so. */
  STRING,
  /** {@code E'text'}. */
  ESCAPE_STRING,
  /** {@code U&'text'}. */
  UNICODE_STRING,
  /** {@code $tag$text$tag$}. */
  DOLLAR_STRING,
  /** {@code B'01'}. */
  BIT_STRING,
  /** {@code X'1F'}. */
  HEX_STRING,
  /** Digits that fit {@code int}, in any base. */
  INTEGER,
  /** Any other number. */
  NUMERIC,
  /** {@code $1}. */
  PARAMETER,
  /** {@code ::}. */
  TYPECAST,
  /** An operator of one or more characters, {@code :=}, {@code =>} and {@code ..} included. */
  OPERATOR,
  /** One of {@code , ( ) [ ] ; : .}. */
  PUNCTUATION;

  /** A constant of a string-like notation. */
  public boolean isString() {
    return switch (this) {
      case STRING, ESCAPE_STRING, UNICODE_STRING, DOLLAR_STRING, BIT_STRING, HEX_STRING -> true;
      default -> false;
    };
  }

  public boolean isNumber() {
    return this == INTEGER || this == NUMERIC;
  }

  /** A constant of any notation. */
  public boolean isLiteral() {
    return isString() || isNumber();
  }

  public boolean isName() {
    return this == WORD || this == QUOTED_NAME || this == UNICODE_NAME;
  }
}
