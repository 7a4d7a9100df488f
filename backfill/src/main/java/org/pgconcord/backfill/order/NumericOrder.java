package org.pgconcord.backfill.order;

/**
 * numeric in its send format ({@code numeric_send}): four 16-bit words (number of digits, weight of
 * the first digit, sign, display scale) and the digits in base 10000. The display scale does not
 * count. NaN is equal to itself and above everything, infinity included.
 */
final class NumericOrder implements RawOrder {
  private static final int NEGATIVE = 0x4000;
  private static final int NAN = 0xC000;
  private static final int POSITIVE_INFINITY = 0xD000;
  private static final int NEGATIVE_INFINITY = 0xF000;
  private static final int HEADER = 8;

  @Override
  public int compare(byte[] a, int aOffset, int aLength, byte[] b, int bOffset, int bLength) {
    int classA = sortClass(a, aOffset);
    int byClass = Integer.compare(classA, sortClass(b, bOffset));
    if (byClass != 0) {
      return byClass;
    }
    return switch (classA) {
      case -1 -> compareMagnitude(b, bOffset, a, aOffset);
      case 1 -> compareMagnitude(a, aOffset, b, bOffset);
      default -> 0;
    };
  }

  /** -2 negative infinity, -1 negative, 0 zero, 1 positive, 2 infinity, 3 NaN. */
  private static int sortClass(byte[] value, int offset) {
    int sign = word(value, offset + 4);
    return switch (sign) {
      case NAN -> 3;
      case POSITIVE_INFINITY -> 2;
      case NEGATIVE_INFINITY -> -2;
      default -> word(value, offset) == 0 ? 0 : sign == NEGATIVE ? -1 : 1;
    };
  }

  /** Of two non-zero numbers without regard to sign; both are normalised (no leading zero). */
  private static int compareMagnitude(byte[] a, int aOffset, byte[] b, int bOffset) {
    int byWeight = Short.compare((short) word(a, aOffset + 2), (short) word(b, bOffset + 2));
    if (byWeight != 0) {
      return byWeight;
    }
    int digitsA = word(a, aOffset);
    int digitsB = word(b, bOffset);
    for (int i = 0; i < Math.max(digitsA, digitsB); i++) {
      int digitA = i < digitsA ? word(a, aOffset + HEADER + 2 * i) : 0;
      int digitB = i < digitsB ? word(b, bOffset + HEADER + 2 * i) : 0;
      if (digitA != digitB) {
        return Integer.compare(digitA, digitB);
      }
    }
    return 0;
  }

  private static int word(byte[] bytes, int at) {
    return ((bytes[at] & 0xFF) << 8) | (bytes[at + 1] & 0xFF);
  }
}
