package org.pgconcord.router.copy;

/** Data that PostgreSQL would refuse too, in its words. */
public final class BadCopyData extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String sqlState;
  private final long line;

  BadCopyData(String sqlState, long line, String message) {
    super(message, null, false, false);
    this.sqlState = sqlState;
    this.line = line;
  }

  static BadCopyData format(long line, String message) {
    return new BadCopyData("22P04", line, message);
  }

  /** A row has fewer fields than are needed; in binary format no column is named. */
  public static BadCopyData missing(long line, String column) {
    return format(
        line,
        column.isEmpty()
            ? "the row has fewer fields than the COPY has columns"
            : "missing data for column \"" + column + "\"");
  }

  /**
   * A row has fewer or more fields than there are columns.
   *
   * @param column the first one that has none; empty when there are too many
   */
  public static BadCopyData otherCount(long line, boolean binary, String column) {
    if (!column.isEmpty()) {
      return missing(line, binary ? "" : column);
    }
    return format(
        line,
        binary
            ? "the row has more fields than the COPY has columns"
            : "extra data after last expected column");
  }

  public String sqlState() {
    return sqlState;
  }

  /** The line of the data, or the number of the row in binary format, from 1; 0 for neither. */
  public long line() {
    return line;
  }

  public String words() {
    return String.valueOf(getMessage());
  }
}
