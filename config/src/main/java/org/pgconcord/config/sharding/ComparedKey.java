package org.pgconcord.config.sharding;

import java.math.BigDecimal;
import java.util.Optional;

/** Conversion for the operator {@code =}: which operator PostgreSQL takes decides. */
final class ComparedKey {
  /** From here on several integers are one float8. */
  private static final double EXACT = 9_007_199_254_740_992.0;

  private ComparedKey() {}

  static Optional<String> convert(KeyType column, Constant constant) {
    Optional<KeyType> type = constant.type();
    String text = constant.text();
    if (type.isEmpty() || type.get() == column) {
      return Optional.of(text);
    }
    return switch (column) {
      case INT -> toInteger(type.get(), text);
      case BPCHAR -> Optional.of(text).filter(t -> type.get() == KeyType.TEXT);
      case FLOAT4 -> toFloat4(type.get(), text);
      case FLOAT8 -> toFloat8(type.get(), text);
      case NUMERIC -> Optional.of(text).filter(t -> type.get() == KeyType.INT);
      case DATE -> type.get() == KeyType.TIMESTAMP ? midnight(text) : Optional.empty();
      case TIMESTAMP -> Optional.of(text).filter(t -> type.get() == KeyType.DATE);
      // A varchar compares with char(n) without trailing blanks, so one constant has many keys.
      default -> Optional.empty();
    };
  }

  /** {@code int = numeric} compares as numeric, {@code int = float} as float8. */
  private static Optional<String> toInteger(KeyType type, String text) {
    return switch (type) {
      case NUMERIC -> exactInteger(text);
      case FLOAT4, FLOAT8 -> exactDouble(type, text);
      default -> Optional.empty();
    };
  }

  private static Optional<String> exactInteger(String text) {
    if (!KeyConversion.encodes(KeyType.NUMERIC, text)) {
      return Optional.empty();
    }
    String plain = ShardKeyEncoder.numeric(text.trim());
    return plain.indexOf('.') < 0 ? Optional.of(plain) : Optional.empty();
  }

  private static Optional<String> exactDouble(KeyType type, String text) {
    if (!KeyConversion.encodes(type, text)) {
      return Optional.empty();
    }
    double value = type == KeyType.FLOAT4 ? PgFloat.float4(text) : PgFloat.float8(text);
    return Math.abs(value) < EXACT && value == Math.rint(value)
        ? Optional.of(Long.toString((long) value))
        : Optional.empty();
  }

  /**
   * {@code float4 = x} compares as float8, unless x is a float4 too. If the comparison can hold at
   * all, x is exactly a float4, and its nearest float4 is that one.
   */
  static Optional<String> toFloat4(KeyType type, String text) {
    return switch (type) {
      case INT, NUMERIC -> Optional.of(text);
      case FLOAT8 -> narrowed(text);
      default -> Optional.empty();
    };
  }

  private static Optional<String> narrowed(String text) {
    if (!KeyConversion.encodes(KeyType.FLOAT8, text)) {
      return Optional.empty();
    }
    double wide = PgFloat.float8(text);
    float narrow = (float) wide;
    boolean overflown = Float.isInfinite(narrow) && !Double.isInfinite(wide);
    boolean vanished = narrow == 0 && wide != 0;
    return overflown || vanished ? Optional.empty() : Optional.of(Float.toString(narrow));
  }

  static Optional<String> toFloat8(KeyType type, String text) {
    return switch (type) {
      case INT, NUMERIC -> Optional.of(text);
      case FLOAT4 ->
          KeyConversion.encodes(KeyType.FLOAT4, text)
              ? Optional.of(Double.toString(PgFloat.float4(text)))
              : Optional.empty();
      default -> Optional.empty();
    };
  }

  /** A timestamp equals a date when it is that day's first moment. */
  private static Optional<String> midnight(String text) {
    return Optional.of(text)
        .filter(t -> KeyConversion.encodes(KeyType.TIMESTAMP, t))
        .map(t -> t.strip().replaceFirst("[ T]00:00(:00(\\.0+)?)?", ""));
  }

  /** A finite decimal number. */
  static Optional<BigDecimal> number(String text) {
    try {
      return Optional.of(new BigDecimal(text.trim()));
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }
}
