package org.pgconcord.daemon.faults;

import org.pgconcord.testkit.fault.Action;
import org.pgconcord.testkit.fault.Gate;

/**
 * What happens at a message. A message that vanishes or comes twice while its connection lives is
 * not among them: TCP does neither.
 */
enum Fault {
  /** Both sides see the connection end in order. */
  CUT,
  /** Both see it reset. */
  RESET,
  /** The message's first bytes arrive, then the connection ends. */
  TRUNCATE,
  /** The message is held while the servers are looked at, then all goes on. */
  HOLD,
  /** The router's machine dies. */
  ROUTER,
  /** The server of that link dies, and starts again when the client has its answer. */
  SHARD;

  private static final int TRUNCATED = 3;

  Action action(Gate gate) {
    return switch (this) {
      case CUT -> new Action.Cut();
      case RESET -> new Action.Reset();
      case TRUNCATE -> new Action.Truncate(TRUNCATED);
      case HOLD, SHARD -> new Action.Hold(gate);
      case ROUTER -> new Action.Down();
    };
  }

  /** The message waits until something has been done. */
  boolean holds() {
    return this == HOLD || this == SHARD;
  }
}
