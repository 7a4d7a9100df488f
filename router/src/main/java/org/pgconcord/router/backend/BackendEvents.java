package org.pgconcord.router.backend;

/** What a connection tells its session outside of answers; on the session's event loop. */
public interface BackendEvents {

  /** Nobody listens: for connections that no client sees. */
  BackendEvents NONE =
      new BackendEvents() {
        @Override
        public void parameterStatus(BackendConnection connection, String name, String value) {}

        @Override
        public void readComplete() {}
      };

  void parameterStatus(BackendConnection connection, String name, String value);

  /** All that had arrived is handed on: time to flush. */
  void readComplete();
}
