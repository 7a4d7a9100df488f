package org.pgconcord.config.sharding;

import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A constant of a statement or the value of a parameter, never NULL.
 *
 * @param source what PostgreSQL takes it for before any conversion
 * @param text a number with its sign, or the content of a string
 */
public record Constant(Source source, String text) {
  private static final Pattern INTEGER = Pattern.compile("[+-]?[0-9]+");

  /** What a constant is to PostgreSQL. */
  public sealed interface Source {
    /** A quoted literal or a parameter without a type: it becomes what its context asks for. */
    record Unknown() implements Source {}

    /** A number without quotes: integer, or numeric with a point, an exponent or many digits. */
    record Numeral() implements Source {}

    /** A value of a known type: a parameter's, or a literal's under a cast. */
    record Typed(KeyType type) implements Source {}
  }

  /** The content of a quoted literal, or a text parameter of unspecified type. */
  public static Constant quoted(String text) {
    return new Constant(new Source.Unknown(), text);
  }

  /** An unquoted number with its sign. */
  public static Constant number(String text) {
    return new Constant(new Source.Numeral(), text);
  }

  /** A value of a type, as PostgreSQL prints it. */
  public static Constant of(KeyType type, String text) {
    return new Constant(new Source.Typed(type), text);
  }

  /**
   * The constant under a cast; empty when the result cannot be told here: an unknown type, one with
   * a modifier (which rounds or cuts), or a number cast to text, which is printed anew.
   *
   * @param formattedType as {@code format_type} prints it; plain {@code character} means one
   *     character and so has a modifier
   */
  public Optional<Constant> castTo(String formattedType) {
    String bare = formattedType.strip();
    if (bare.indexOf('(') >= 0 || bare.equals("character")) {
      return Optional.empty();
    }
    return KeyType.of(bare)
        .filter(type -> source instanceof Source.Unknown || takesNumber(type))
        .map(type -> of(type, text));
  }

  private boolean takesNumber(KeyType type) {
    boolean number = source instanceof Source.Numeral;
    return switch (type) {
      case INT -> number && INTEGER.matcher(text).matches();
      case NUMERIC, FLOAT4, FLOAT8 -> number;
      default -> false;
    };
  }

  /** The type; empty for a constant that becomes what its context asks for. */
  Optional<KeyType> type() {
    if (source instanceof Source.Typed typed) {
      return Optional.of(typed.type());
    }
    return source instanceof Source.Unknown ? Optional.empty() : Optional.of(numberType());
  }

  private KeyType numberType() {
    return INTEGER.matcher(text).matches() && fitsLong() ? KeyType.INT : KeyType.NUMERIC;
  }

  private boolean fitsLong() {
    try {
      Long.parseLong(text);
      return true;
    } catch (NumberFormatException e) {
      return false;
    }
  }
}
