package org.pgconcord.router.session;

/** What sessions count. */
public interface SessionMetrics {
  void sessionOpened();

  void sessionClosed();

  void loginRefused();

  void statementEnded(boolean failed);

  void cancelled();
}
