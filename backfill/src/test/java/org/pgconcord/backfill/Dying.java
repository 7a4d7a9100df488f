package org.pgconcord.backfill;

/** Ends a build at a step as a crash would, seen from the next start. */
final class Dying implements BuildStep.Hook {
  /** Not an error of the build. */
  static final class Death extends RuntimeException {}

  private final BuildStep step;
  private int remaining;

  Dying(BuildStep step, int occurrence) {
    this.step = step;
    this.remaining = occurrence;
  }

  @Override
  public synchronized void reached(BuildStep reached) {
    if (reached == step && --remaining <= 0) {
      throw new Death();
    }
  }
}
