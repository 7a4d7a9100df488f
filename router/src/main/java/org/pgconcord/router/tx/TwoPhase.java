package org.pgconcord.router.tx;

import java.util.concurrent.Executor;

/**
 * What a session needs to commit in two phases.
 *
 * @param database the logical one
 * @param user the session's
 * @param loop the session's
 */
public record TwoPhase(Decisions decisions, String database, String user, Executor loop) {
  /** Refuses what needs two phases. */
  public static final TwoPhase NONE = new TwoPhase(Decisions.NONE, "", "", Runnable::run);
}
