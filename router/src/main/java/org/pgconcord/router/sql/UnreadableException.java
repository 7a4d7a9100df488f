package org.pgconcord.router.sql;

/** The statement holds a construct that cannot be read; the message names it. */
public final class UnreadableException extends Exception {
  private static final long serialVersionUID = 1L;

  private final boolean writingCte;

  public UnreadableException(String construct) {
    this(construct, false);
  }

  private UnreadableException(String construct, boolean writingCte) {
    super(construct);
    this.writingCte = writingCte;
  }

  static UnreadableException writingCte(String construct) {
    return new UnreadableException(construct, true);
  }

  /** WITH and a write together. */
  public boolean isWritingCte() {
    return writingCte;
  }

  public String construct() {
    return String.valueOf(getMessage());
  }
}
