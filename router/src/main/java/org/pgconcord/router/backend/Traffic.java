package org.pgconcord.router.backend;

/** Sees what a session sends to its backends, and hears the answers, while it is asked to. */
public interface Traffic {
  /** Sees nothing. */
  Traffic NONE = (backend, request, listener) -> listener;

  /** The listener to hear the answer in place of {@code listener}, which has to hear it too. */
  BackendListener sent(BackendConnection backend, BackendRequest request, BackendListener listener);
}
