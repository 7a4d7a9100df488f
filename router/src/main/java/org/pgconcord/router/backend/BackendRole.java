package org.pgconcord.router.backend;

/** What a backend is for, and thereby as whom it is logged in. */
public enum BackendRole {
  /** The client's own role, with the session's settings: statements of the client. */
  CLIENT,
  /** The same on a replica of the shard, where nothing is written. */
  REPLICA,
  /** The service role, settings pinned: lookups, and questions about an owner's existence. */
  SERVICE,
  /** The service role, for the transaction with a lookup shard that commits before MAIN. */
  PRE,
  /** The service role, for the transaction with a lookup shard that commits after MAIN. */
  POST,
  /** The service role, for settling an entry in transactions apart from the session's own. */
  AUDIT,
  /** The service role, for asking who waits for whom. */
  WATCH;

  /** Logged in as the service role, not as the client's. */
  public boolean service() {
    return this != CLIENT && this != REPLICA;
  }
}
