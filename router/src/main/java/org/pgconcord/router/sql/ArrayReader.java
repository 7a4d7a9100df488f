package org.pgconcord.router.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The values of an array that a statement writes: {@code $1}, {@code '{1,2}'}, either with a cast
 * to an array type, or {@code ARRAY[1, 2]}. From tokens alone: what is not exactly one of these
 * forms is not told.
 */
final class ArrayReader {
  private static final String TEXT = "text";

  private final Tokens tokens;
  private final Clauses clauses;

  ArrayReader(Tokens tokens, Clauses clauses) {
    this.tokens = tokens;
    this.clauses = clauses;
  }

  /** The values of the array that is all of the tokens in the range. */
  Optional<List<ConstantView>> elements(Clauses.Range array) {
    int from = array.from();
    int to = array.to();
    if (from >= to) {
      return Optional.empty();
    } else if (clauses.close(from) == to - 1) {
      return elements(new Clauses.Range(from + 1, to - 1));
    } else if (tokens.isWord(from, "cast") && clauses.close(from + 1) == to - 1) {
      return cast(from + 2, to - 1);
    } else if (tokens.isWord(from, "array") && tokens.isSymbol(from + 1, "[")) {
      return constructed(from + 2, to);
    }
    return constant(from, to, "");
  }

  private Optional<List<ConstantView>> cast(int from, int to) {
    return tokens.isWord(from + 1, "as")
        ? type(from + 2, to).flatMap(type -> constant(from, from + 1, type))
        : Optional.empty();
  }

  /** One token, and perhaps a cast behind it. */
  private Optional<List<ConstantView>> constant(int from, int to, String type) {
    if (to - from > 1) {
      return type.isEmpty() && tokens.kind(from + 1) == TokenKind.TYPECAST
          ? type(from + 2, to).flatMap(cast -> constant(from, from + 1, cast))
          : Optional.empty();
    }
    TokenKind kind = tokens.kind(from);
    if (kind == TokenKind.PARAMETER) {
      return number(from).map(n -> List.of(each(new ConstantView.Parameter(n, type))));
    }
    return kind.isString()
        ? Optional.of(List.of(each(new ConstantView.Literal(from, false, type))))
        : Optional.empty();
  }

  private static ConstantView each(ConstantView array) {
    return new ConstantView.Each(array);
  }

  private Optional<Integer> number(int token) {
    try {
      return Optional.of(Integer.parseInt(tokens.text(token).substring(1)));
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }

  /** {@code words[]}, to the end: the words. */
  private Optional<String> type(int from, int to) {
    int brackets = to - 2;
    if (brackets <= from || !tokens.isSymbol(brackets, "[") || !tokens.isSymbol(to - 1, "]")) {
      return Optional.empty();
    }
    List<String> words = new ArrayList<>();
    for (int i = from; i < brackets; i++) {
      if (tokens.kind(i) != TokenKind.WORD) {
        return Optional.empty();
      }
      words.add(tokens.text(i).toLowerCase(Locale.ROOT));
    }
    return Optional.of(String.join(" ", words));
  }

  /**
   * Strings in it are texts, unlike a lone string that takes the type of what it is compared with;
   * numbers of several types, which would become one, are not told.
   */
  private Optional<List<ConstantView>> constructed(int from, int to) {
    int close = from;
    while (close < to && !tokens.isSymbol(close, "]")) {
      close++;
    }
    Optional<String> cast = Optional.of("");
    if (close < to - 1) {
      cast = tokens.kind(close + 1) == TokenKind.TYPECAST ? type(close + 2, to) : Optional.empty();
    }
    if (close == to || cast.isEmpty()) {
      return Optional.empty();
    }
    List<ConstantView> values = new ArrayList<>();
    TokenKind kind = null;
    for (int i = from; i < close; i += 2) {
      TokenKind own = tokens.kind(i);
      boolean separated = i == from || tokens.isSymbol(i - 1, ",");
      boolean alike = kind == null || kind == own;
      if (!separated || !alike || !(own.isString() || own == TokenKind.INTEGER)) {
        return Optional.empty();
      }
      kind = own;
      String type = cast.get().isEmpty() && own.isString() ? TEXT : cast.get();
      values.add(new ConstantView.Literal(i, false, type));
    }
    boolean whole = (close - from) % 2 == 1;
    return whole ? Optional.of(values) : Optional.empty();
  }
}
