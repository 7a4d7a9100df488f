package org.pgconcord.router.sql;

import java.util.List;

/** A constant as the statement writes it. */
public sealed interface ConstantView {
  /** A literal token, perhaps with a minus sign in front and a cast behind (else empty). */
  record Literal(int token, boolean negative, String cast) implements ConstantView {}

  /** A parameter, perhaps with a cast (else empty). */
  record Parameter(int number, String cast) implements ConstantView {}

  /** NULL. */
  record Null() implements ConstantView {}

  /** What integer arithmetic over constants comes to. */
  record Computed(Arithmetic expression) implements ConstantView {}

  /**
   * Each element of an array: any number of values, told apart when the array is known.
   *
   * @param array a literal or a parameter whose cast, if any, is the type of the elements
   */
  record Each(ConstantView array) implements ConstantView {}

  /** Each value within all of the bounds. */
  record Span(List<Bound> bounds) implements ConstantView {
    public Span {
      bounds = List.copyOf(bounds);
    }
  }

  /** One end of a {@link Span}. */
  record Bound(Side side, ConstantView value) {}

  /** What a value in a span is to its bound. */
  enum Side {
    BELOW,
    AT_MOST,
    AT_LEAST,
    ABOVE
  }
}
