package org.pgconcord.config.sharding;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Optional;

/** Conversion by assignment casts, which round where comparison would not. */
final class StoredKey {
  private static final double EXACT = 9_007_199_254_740_992.0;

  private StoredKey() {}

  static Optional<String> convert(KeyType column, Constant constant) {
    Optional<KeyType> type = constant.type();
    String text = constant.text();
    if (type.isEmpty() || type.get() == column) {
      return Optional.of(text);
    }
    return switch (column) {
      case INT -> toInteger(type.get(), text);
      case TEXT -> toText(type.get(), text);
      case BPCHAR -> type.get() == KeyType.TEXT ? Optional.of(text) : printed(type.get(), text);
      case FLOAT4 -> ComparedKey.toFloat4(type.get(), text);
      case FLOAT8 -> ComparedKey.toFloat8(type.get(), text);
      case NUMERIC -> Optional.of(text).filter(t -> type.get() == KeyType.INT);
      case DATE -> type.get() == KeyType.TIMESTAMP ? dayOf(text) : Optional.empty();
      case TIMESTAMP -> Optional.of(text).filter(t -> type.get() == KeyType.DATE);
      default -> Optional.empty();
    };
  }

  /** numeric rounds half away from zero, float8 half to even. */
  private static Optional<String> toInteger(KeyType type, String text) {
    if (type == KeyType.NUMERIC) {
      return decimal(text).map(d -> d.setScale(0, RoundingMode.HALF_UP).toPlainString());
    }
    boolean isFloat = type == KeyType.FLOAT4 || type == KeyType.FLOAT8;
    if (!isFloat || !KeyConversion.encodes(type, text)) {
      return Optional.empty();
    }
    double value = type == KeyType.FLOAT4 ? PgFloat.float4(text) : PgFloat.float8(text);
    return Math.abs(value) < EXACT
        ? Optional.of(Long.toString((long) Math.rint(value)))
        : Optional.empty();
  }

  private static Optional<String> toText(KeyType type, String text) {
    return type == KeyType.BPCHAR
        ? Optional.of(ShardKeyEncoder.withoutTrailingBlanks(text))
        : printed(type, text);
  }

  /** Integers are stored in text columns as they are printed; other types are left alone here. */
  private static Optional<String> printed(KeyType type, String text) {
    return Optional.of(text)
        .filter(t -> type == KeyType.INT && KeyConversion.encodes(KeyType.INT, t))
        .map(t -> Long.toString(Long.parseLong(t.trim())));
  }

  private static Optional<String> dayOf(String text) {
    return Optional.of(text)
        .filter(t -> KeyConversion.encodes(KeyType.TIMESTAMP, t))
        .map(t -> t.strip().replaceFirst("[ T][0-9:.]+", ""));
  }

  /** A finite number of a size that is worth spelling out. */
  static Optional<BigDecimal> decimal(String text) {
    return KeyConversion.encodes(KeyType.NUMERIC, text)
        ? ComparedKey.number(text)
        : Optional.empty();
  }
}
