package org.pgconcord.router.backend;

import java.util.List;
import org.pgconcord.router.wire.ParameterTypes;
import org.pgconcord.router.wire.Parameters;

/**
 * One exchange with a shard: what is written for it ends with exactly one Sync (or is one Query),
 * so that each request ends with its own ReadyForQuery and an error never reaches into the next.
 */
public sealed interface BackendRequest {

  /** A simple Query; results come in text format, a description before the rows. */
  record Query(String sql) implements BackendRequest {}

  /**
   * BEGIN, by a simple Query. What is sent behind it must run within its transaction or not at all:
   * a cancel waits until it has been answered.
   */
  record Begin(String sql) implements BackendRequest {}

  /**
   * Parse (left out when this backend has the statement already), Bind, Execute.
   *
   * @param named keep it prepared on the backend for the next time; else the unnamed statement
   * @param types declared parameter types, 0 where the client left them open
   * @param portal name of the portal on the backend: empty unless it will be continued
   * @param describe also ask for the row description
   * @param maxRows 0 for all
   */
  record Extended(
      String sql,
      boolean named,
      ParameterTypes types,
      Parameters parameters,
      String portal,
      boolean describe,
      int maxRows)
      implements BackendRequest {

    /** All rows of a statement without a description, prepared for the next time. */
    public static Extended of(String sql, ParameterTypes types, Parameters parameters) {
      return new Extended(sql, true, types, parameters, "", false, 0);
    }
  }

  /**
   * A statement behind other ones that have to succeed first, all up to one Sync: outside a
   * transaction they are one transaction, which ends with the Sync. Rows and completions of those
   * before are nobody's; their failure is {@link BackendListener#fenced}, and the statement does
   * not run then.
   */
  record Fenced(List<Extended> before, Extended statement) implements BackendRequest {
    public Fenced {
      before = List.copyOf(before);
    }
  }

  /**
   * Parse, Bind, Describe of a portal that is read later: it sees what its statement would see now.
   */
  record Open(String sql, ParameterTypes types, Parameters parameters, String portal)
      implements BackendRequest {}

  /** The next rows of a suspended portal. */
  record Continue(String portal, int maxRows) implements BackendRequest {}

  record ClosePortal(String portal) implements BackendRequest {}

  /** The columns of a portal, or of a cursor. */
  record DescribePortal(String portal) implements BackendRequest {}

  /** Parse, Describe: parameter types and row description of a statement. */
  record DescribeStatement(String sql, boolean named, ParameterTypes types)
      implements BackendRequest {}
}
