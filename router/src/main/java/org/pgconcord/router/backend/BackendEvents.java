package org.pgconcord.router.backend;

import org.pgconcord.router.wire.ErrorFields;
import org.pgconcord.router.wire.Frame;

/** What a connection tells its session outside of answers; on the session's event loop. */
public interface BackendEvents {

  /** Nobody listens: for connections that no client sees. */
  BackendEvents NONE =
      new BackendEvents() {
        @Override
        public void parameterStatus(BackendConnection connection, String name, String value) {}

        @Override
        public void notification(BackendConnection connection, Frame frame) {}

        @Override
        public void homeLost() {}

        @Override
        public void idleTooLong(ErrorFields fatal) {}

        @Override
        public void readComplete() {}
      };

  void parameterStatus(BackendConnection connection, String name, String value);

  /** What somebody has notified a channel of that this connection listens to. */
  void notification(BackendConnection connection, Frame frame);

  /** The home connection has ended, and with it what the session had left there. */
  void homeLost();

  /**
   * A server has ended a connection of the client's between two statements, because its transaction
   * had lasted too long.
   */
  void idleTooLong(ErrorFields fatal);

  /** All that had arrived is handed on: time to flush. */
  void readComplete();
}
