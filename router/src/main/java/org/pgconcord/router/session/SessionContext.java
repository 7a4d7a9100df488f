package org.pgconcord.router.session;

import java.util.concurrent.ScheduledExecutorService;
import org.pgconcord.router.backend.Backends;

/** What a runner may ask of its session. Used on the session's event loop. */
public interface SessionContext {

  /** A random number, unlike that of any other live session; fit for log lines. */
  long id();

  /** The logical database. */
  String database();

  /** The role that has logged in. */
  String user();

  Backends backends();

  /** Forgets a statement that the client has prepared; false when there is none of this name. */
  boolean deallocate(String statement);

  /** Forgets all statements that the client has prepared by name. */
  void deallocateAll();

  /** SET, RESET, SHOW and DISCARD are run by this; transactions tell it how they ended. */
  SessionSettings settings();

  /** The session's event loop. */
  ScheduledExecutorService loop();
}
