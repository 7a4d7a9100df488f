package org.pgconcord.router.plan;

import java.util.List;
import java.util.Set;
import org.pgconcord.router.sql.Arithmetic;
import org.pgconcord.router.sql.ConstantView;

/**
 * The constant side of an equality on a key column, or a key's value in an INSERT, before its value
 * is known.
 */
public sealed interface KeyOperand {
  /**
   * A literal of the statement.
   *
   * @param token index of the literal's token
   * @param negative true when a minus sign stands before the number
   * @param cast the type it is cast to, as {@code format_type} prints it; empty without a cast
   */
  record Literal(int token, boolean negative, String cast) implements KeyOperand {}

  /**
   * A parameter.
   *
   * @param number from 1
   * @param cast as for a literal
   * @param typeCertain false when the statement uses the parameter elsewhere too, in a way that
   *     could give it another type than the key's; it then binds only when its type is declared
   */
  record Parameter(int number, String cast, boolean typeCertain) implements KeyOperand {}

  /** The constant NULL. */
  record Null() implements KeyOperand {}

  /**
   * Each element of an array that is compared by {@code = ANY}.
   *
   * @param array a string or parameter; its cast is the type of the elements
   */
  record Each(KeyOperand array) implements KeyOperand {}

  /**
   * What integer arithmetic comes to.
   *
   * @param certain parameters that the statement uses nowhere else
   */
  record Computed(Arithmetic expression, Set<Integer> certain) implements KeyOperand {
    public Computed {
      certain = Set.copyOf(certain);
    }
  }

  /** Arithmetic whose operators may not be PostgreSQL's own. */
  record Foreign() implements KeyOperand {}

  /** Each value within all of the bounds. */
  record Span(List<Bound> bounds) implements KeyOperand {
    public Span {
      bounds = List.copyOf(bounds);
    }
  }

  /** One end of a {@link Span}. */
  record Bound(ConstantView.Side side, KeyOperand value) {}

  /** The highest number of a parameter that its value depends on; 0 without one. */
  default int parameterNumber() {
    if (this instanceof Each each) {
      return each.array().parameterNumber();
    } else if (this instanceof Computed computed) {
      return computed.expression().parameters().stream().max(Integer::compare).orElse(0);
    } else if (this instanceof Span span) {
      return span.bounds().stream().mapToInt(b -> b.value().parameterNumber()).max().orElse(0);
    }
    return this instanceof Parameter parameter ? parameter.number() : 0;
  }
}
