package org.pgconcord.router.backend;

/** As whom a backend is logged in. */
public enum BackendRole {
  /** The client's own role, with the session's settings: statements of the client. */
  CLIENT,
  /** The service role, settings pinned: entries, and questions about an owner's existence. */
  SERVICE
}
