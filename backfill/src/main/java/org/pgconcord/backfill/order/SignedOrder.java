package org.pgconcord.backfill.order;

import java.util.Arrays;

/**
 * int2, int4, int8, date, timestamp, timestamptz: big-endian two's complement of one width, so the
 * first byte compares signed and the others unsigned.
 */
final class SignedOrder implements RawOrder {
  @Override
  public int compare(byte[] a, int aOffset, int aLength, byte[] b, int bOffset, int bLength) {
    int first = Byte.compare(a[aOffset], b[bOffset]);
    return first != 0
        ? first
        : Arrays.compareUnsigned(
            a, aOffset + 1, aOffset + aLength, b, bOffset + 1, bOffset + bLength);
  }
}
