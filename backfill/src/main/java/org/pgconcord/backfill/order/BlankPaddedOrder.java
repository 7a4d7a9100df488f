package org.pgconcord.backfill.order;

import java.util.Arrays;

/** char(n) under collation {@code "C"}: trailing blanks mean nothing ({@code bpcharcmp}). */
final class BlankPaddedOrder implements RawOrder {
  @Override
  public int compare(byte[] a, int aOffset, int aLength, byte[] b, int bOffset, int bLength) {
    return Arrays.compareUnsigned(
        a, aOffset, trimmedEnd(a, aOffset, aLength), b, bOffset, trimmedEnd(b, bOffset, bLength));
  }

  private static int trimmedEnd(byte[] bytes, int offset, int length) {
    int end = offset + length;
    while (end > offset && bytes[end - 1] == ' ') {
      end--;
    }
    return end;
  }
}
