package org.pgconcord.config.value;

/**
 * A position in a server's write-ahead log, compared as an unsigned 64-bit number (PostgreSQL
 * manual, "pg_lsn Type").
 */
public record Lsn(long value) implements Comparable<Lsn> {
  public static final Lsn ZERO = new Lsn(0);

  /**
   * Reads the form that PostgreSQL prints, {@code 16/B374D848}.
   *
   * @throws IllegalArgumentException when the text is not of that form
   */
  public static Lsn parse(String text) {
    int slash = text.indexOf('/');
    if (slash < 1) {
      throw new IllegalArgumentException("not a log position: " + text);
    }
    long high = Long.parseLong(text.substring(0, slash), 16);
    long low = Long.parseLong(text.substring(slash + 1), 16);
    return new Lsn((high << 32) | low);
  }

  @Override
  public int compareTo(Lsn other) {
    return Long.compareUnsigned(value, other.value);
  }

  public boolean isBefore(Lsn other) {
    return compareTo(other) < 0;
  }

  /** Bytes from {@code earlier} to this position; negative when it is not earlier. */
  public long minus(Lsn earlier) {
    return value - earlier.value;
  }

  @Override
  public String toString() {
    return Long.toHexString(value >>> 32).toUpperCase(java.util.Locale.ROOT)
        + "/"
        + Long.toHexString(value & 0xFFFFFFFFL).toUpperCase(java.util.Locale.ROOT);
  }
}
