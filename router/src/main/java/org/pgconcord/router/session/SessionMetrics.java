package org.pgconcord.router.session;

import org.pgconcord.router.backend.PrimaryWaits;

/** What sessions count. */
public interface SessionMetrics extends PrimaryWaits.Counts {
  void sessionOpened();

  void sessionClosed();

  void loginRefused();

  void statementEnded(boolean failed);

  void cancelled();
}
