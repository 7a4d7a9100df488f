package org.pgconcord.config.value;

/** Numbers of things in sentences: {@code 1 row}, {@code 2 rows}, {@code 1 entry}. */
public final class Counted {
  private Counted() {}

  /** With the regular plural of {@code thing}. */
  public static String of(long count, String thing) {
    return of(count, thing, thing + "s");
  }

  public static String of(long count, String thing, String things) {
    return count + " " + (count == 1 ? thing : things);
  }
}
