package org.pgconcord.router.sql;

import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads integer arithmetic over constants from its tokens: {@code 2 + 3}, {@code -(5)}, {@code
 * CAST('7' AS int) * $1::bigint}. The precedences are those of PostgreSQL's grammar (gram.y): a
 * cast binds tighter than a sign, a sign tighter than {@code * / %}, these tighter than {@code +
 * -}. Nothing else is read, so that an expression with any other operator, function or type ends
 * before it, and whoever asked for the whole of it sees that.
 */
final class ArithmeticReader {
  private static final Set<String> INTEGERS =
      Set.of("smallint", "integer", "int", "bigint", "int2", "int4", "int8");

  private final Tokens tokens;
  private int at;

  private ArithmeticReader(Tokens tokens, int from) {
    this.tokens = tokens;
    this.at = from;
  }

  /** An expression and the token behind it. */
  record Read(Arithmetic expression, int end) {}

  /** The longest expression that begins at {@code from}; empty when none does. */
  static Optional<Read> at(Tokens tokens, int from) {
    ArithmeticReader reader = new ArithmeticReader(tokens, from);
    Arithmetic read = reader.sum();
    return read == null ? Optional.empty() : Optional.of(new Read(read, reader.at));
  }

  private @Nullable Arithmetic sum() {
    Arithmetic left = product();
    while (left != null && (isOperator("+") || isOperator("-"))) {
      left = combined(left, this::product);
    }
    return left;
  }

  private @Nullable Arithmetic product() {
    Arithmetic left = signed();
    while (left != null && (isOperator("*") || isOperator("/") || isOperator("%"))) {
      left = combined(left, this::signed);
    }
    return left;
  }

  private interface Next {
    @Nullable Arithmetic read();
  }

  private @Nullable Arithmetic combined(Arithmetic left, Next operand) {
    char operator = tokens.text(at++).charAt(0);
    Arithmetic right = operand.read();
    return right == null ? null : new Arithmetic.Combined(operator, left, right);
  }

  private @Nullable Arithmetic signed() {
    if (isOperator("-")) {
      at++;
      Arithmetic operand = signed();
      return operand == null ? null : new Arithmetic.Negated(operand);
    } else if (isOperator("+")) {
      at++;
      return signed();
    }
    return cast();
  }

  /** A primary with the casts behind it; a string or a parameter is none without a cast. */
  private @Nullable Arithmetic cast() {
    Arithmetic operand;
    if (isUntyped(at) && isCast(at + 1)) {
      operand = typed(at, type(at + 2));
      at += 3;
    } else {
      operand = primary();
    }
    while (operand != null && isCast(at)) {
      at += 2;
    }
    return operand;
  }

  private @Nullable Arithmetic primary() {
    if (tokens.isSymbol(at, "(")) {
      at++;
      return closed(sum());
    } else if (tokens.isWord(at, "cast") && tokens.isSymbol(at + 1, "(")) {
      at += 2;
      if (isUntyped(at) && tokens.isWord(at + 1, "as") && isType(at + 2)) {
        Arithmetic operand = typed(at, type(at + 2));
        at += 3;
        return closed(operand);
      }
      Arithmetic operand = sum();
      if (operand == null || !tokens.isWord(at, "as") || !isType(at + 1)) {
        return null;
      }
      at += 2;
      return closed(operand);
    } else if (at < tokens.size() && tokens.kind(at).isNumber()) {
      return new Arithmetic.Operand(new ConstantView.Literal(at++, false, ""));
    }
    return null;
  }

  private @Nullable Arithmetic closed(@Nullable Arithmetic operand) {
    boolean closes = operand != null && tokens.isSymbol(at, ")");
    at++;
    return closes ? operand : null;
  }

  private static final int MOST_DIGITS = 6;

  private @Nullable Arithmetic typed(int token, String type) {
    if (tokens.kind(token) != TokenKind.PARAMETER) {
      return new Arithmetic.Operand(new ConstantView.Literal(token, false, type));
    }
    String number = tokens.text(token).substring(1);
    return number.length() > MOST_DIGITS
        ? null
        : new Arithmetic.Operand(new ConstantView.Parameter(Integer.parseInt(number), type));
  }

  private boolean isUntyped(int token) {
    return token < tokens.size()
        && (tokens.kind(token).isString() || tokens.kind(token) == TokenKind.PARAMETER);
  }

  private boolean isCast(int token) {
    return token < tokens.size() && tokens.kind(token) == TokenKind.TYPECAST && isType(token + 1);
  }

  /** A type of one word; an array of it has brackets behind. */
  private boolean isType(int token) {
    return token < tokens.size()
        && tokens.kind(token) == TokenKind.WORD
        && INTEGERS.contains(type(token))
        && !tokens.isSymbol(token + 1, "[")
        && !tokens.isWord(token + 1, "array")
        && !tokens.isSymbol(token + 1, ".");
  }

  private String type(int token) {
    return tokens.text(token).toLowerCase(Locale.ROOT);
  }

  private boolean isOperator(String operator) {
    return at < tokens.size()
        && tokens.kind(at) == TokenKind.OPERATOR
        && tokens.isSymbol(at, operator);
  }
}
