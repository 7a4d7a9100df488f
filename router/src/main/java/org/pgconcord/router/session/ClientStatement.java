package org.pgconcord.router.session;

import org.pgconcord.router.wire.ParameterTypes;

/**
 * A statement that a client has parsed. It exists in the router; backends prepare it when they
 * first run it.
 *
 * @param name empty for the unnamed statement
 * @param sql one statement, as the client wrote it
 * @param types the types that the client declared, 0 where it left them to the server
 */
public record ClientStatement(String name, String sql, ParameterTypes types) {

  /** Worth keeping prepared on a backend. */
  public boolean named() {
    return !name.isEmpty();
  }
}
