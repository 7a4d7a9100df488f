package org.pgconcord.router.plan;

import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.router.sql.StatementText;

/**
 * Plans one statement. Never throws for what a client wrote: what is not served comes back as
 * {@link Plan.Refused}. Safe for use by many threads at once; a plan found in the cache costs no
 * parse.
 */
public final class StatementPlanner {

  /** Plans {@code text}, which is empty or one statement. */
  public Planned plan(StatementText text, PlanContext context) {
    if (text.isEmpty()) {
      return new Planned(new SessionCommand.Empty(), text);
    }
    String where = " in database " + context.database();
    return new Planned(
        new Plan.Refused(ErrorCode.SQL_UNREADABLE, "cannot plan" + where, null, null), text);
  }
}
