package org.pgconcord.backfill.order;

import java.util.Arrays;

/** text and varchar under collation {@code "C"}, bytea and uuid: unsigned bytes, shorter first. */
final class BytesOrder implements RawOrder {
  @Override
  public int compare(byte[] a, int aOffset, int aLength, byte[] b, int bOffset, int bLength) {
    return Arrays.compareUnsigned(a, aOffset, aOffset + aLength, b, bOffset, bOffset + bLength);
  }
}
