package org.pgconcord.router.sql;

/** The statement holds a construct that cannot be read; the message names it. */
public final class UnreadableException extends Exception {
  private static final long serialVersionUID = 1L;

  public UnreadableException(String construct) {
    super(construct);
  }

  public String construct() {
    return String.valueOf(getMessage());
  }
}
