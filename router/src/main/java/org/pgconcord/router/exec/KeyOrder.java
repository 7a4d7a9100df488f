package org.pgconcord.router.exec;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.pgconcord.router.plan.SortKey;

/**
 * PostgreSQL's order of the values of one type, by their binary forms. Only types whose order
 * depends on nothing else; text under a C-like collation is the order of its bytes.
 */
final class KeyOrder implements Comparator<byte @Nullable []> {
  private static final int NUMERIC_NAN = 0xC000;
  private static final int NUMERIC_INFINITY = 0xD000;
  private static final int NUMERIC_MINUS_INFINITY = 0xF000;
  private static final int NUMERIC_NEGATIVE = 0x4000;
  private static final BigInteger DIGIT = BigInteger.valueOf(10_000);

  private final SortKey key;
  private final Comparator<byte[]> values;

  private KeyOrder(SortKey key, Comparator<byte[]> values) {
    this.key = key;
    this.values = values;
  }

  /** The order of a key whose type is the oid's; empty where it is not known here. */
  static Optional<KeyOrder> of(SortKey key, int typeOid) {
    return switch (typeOid) {
      case 16, 17, 2950 -> order(key, Arrays::compareUnsigned);
      case 25, 1043 -> key.text() ? order(key, Arrays::compareUnsigned) : Optional.empty();
      case 20, 1083, 1114, 1184 -> order(key, Comparator.comparing(v -> buffer(v).getLong()));
      case 21 -> order(key, Comparator.comparing(v -> buffer(v).getShort()));
      case 23, 1082 -> order(key, Comparator.comparing(v -> buffer(v).getInt()));
      case 700 -> order(key, Comparator.comparing(v -> positiveZero(buffer(v).getFloat())));
      case 701 -> order(key, Comparator.comparing(v -> positiveZero(buffer(v).getDouble())));
      case 1700 -> order(key, KeyOrder::numerics);
      default -> Optional.empty();
    };
  }

  private static Optional<KeyOrder> order(SortKey key, Comparator<byte[]> values) {
    return Optional.of(new KeyOrder(key, values));
  }

  @Override
  public int compare(byte @Nullable [] one, byte @Nullable [] other) {
    if (one == null || other == null) {
      int nulls = one == other ? 0 : one == null ? -1 : 1;
      return key.nullsFirst() ? nulls : -nulls;
    }
    int compared = values.compare(one, other);
    return key.descending() ? -Integer.signum(compared) : compared;
  }

  private static ByteBuffer buffer(byte[] value) {
    return ByteBuffer.wrap(value);
  }

  /** -0 equals 0, and every NaN is one, above all else, as {@code Double.compare} has it too. */
  private static double positiveZero(double value) {
    return value == 0 ? 0.0 : value;
  }

  // --- numeric ---------------------------------------------------------------------------------

  private static int numerics(byte[] one, byte[] other) {
    int classes = Integer.compare(numericClass(one), numericClass(other));
    return classes != 0 || numericClass(one) != 0
        ? classes
        : numeric(one).compareTo(numeric(other));
  }

  /** Infinities and NaN around all numbers, which are 0. */
  private static int numericClass(byte[] value) {
    return switch (buffer(value).getShort(2 * Short.BYTES) & 0xFFFF) {
      case NUMERIC_MINUS_INFINITY -> -1;
      case NUMERIC_INFINITY -> 1;
      case NUMERIC_NAN -> 2;
      default -> 0;
    };
  }

  /** Digits in base 10,000, the first of them times 10,000 to the power of the weight. */
  private static BigDecimal numeric(byte[] value) {
    ByteBuffer in = buffer(value);
    int digits = in.getShort();
    int weight = in.getShort();
    boolean negative = (in.getShort() & 0xFFFF) == NUMERIC_NEGATIVE;
    in.getShort();
    BigInteger unscaled = BigInteger.ZERO;
    for (int i = 0; i < digits; i++) {
      unscaled = unscaled.multiply(DIGIT).add(BigInteger.valueOf(in.getShort()));
    }
    BigDecimal number = new BigDecimal(unscaled, 4 * (digits - 1 - weight));
    return negative ? number.negate() : number;
  }
}
