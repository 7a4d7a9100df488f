package org.pgconcord.router.session;

/** Counts nothing. */
enum NoMetrics implements SessionMetrics {
  INSTANCE;

  @Override
  public void sessionOpened() {}

  @Override
  public void sessionClosed() {}

  @Override
  public void loginRefused() {}

  @Override
  public void statementEnded(boolean failed) {}

  @Override
  public void cancelled() {}
}
