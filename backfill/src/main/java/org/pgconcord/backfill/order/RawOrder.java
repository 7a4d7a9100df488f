package org.pgconcord.backfill.order;

import org.pgconcord.config.error.ErrorCode;

/**
 * Compares two key values in PostgreSQL's binary send format, as the server's {@code ORDER BY}
 * would (text under collation {@code "C"}). Zero means equal to the lookup table's primary key, not
 * equal bytes: {@code 1.0} and {@code 1.00}, {@code 'a'} and {@code 'a '} of {@code char(2)}.
 *
 * <p>The values are slices of larger arrays, since the merge compares tens of millions of them and
 * may not make an object for each.
 */
public interface RawOrder {
  /** Negative, zero or positive, as {@link java.util.Comparator#compare}. */
  int compare(byte[] a, int aOffset, int aLength, byte[] b, int bOffset, int bLength);

  default int compare(byte[] a, byte[] b) {
    return compare(a, 0, a.length, b, 0, b.length);
  }

  /**
   * The order of a type that an indexed column may have.
   *
   * @param typeOid {@code pg_type.oid} of the lookup table's key column
   */
  static RawOrder ofType(int typeOid) {
    return switch (typeOid) {
      case 21, 23, 20, 1082, 1114, 1184 -> new SignedOrder();
      case 25, 1043, 2950, 17 -> new BytesOrder();
      case 1042 -> new BlankPaddedOrder();
      case 1700 -> new NumericOrder();
      default ->
          throw ErrorCode.BACKFILL_TYPE_UNSUPPORTED.because(
              "type oid " + typeOid + " has no known order of its binary form");
    };
  }

  /** Whether the exporting statement must ask for collation {@code "C"}. */
  static boolean collatable(int typeOid) {
    return typeOid == 25 || typeOid == 1043 || typeOid == 1042;
  }
}
