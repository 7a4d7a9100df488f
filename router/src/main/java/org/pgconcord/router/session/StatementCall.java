package org.pgconcord.router.session;

import java.util.Optional;

/** A statement to run now. */
public sealed interface StatementCall {

  /** The statement's text: one statement, without its semicolon. */
  String sql();

  /** One statement of a simple Query: description first, results in text format. */
  record Simple(String sql) implements StatementCall {}

  /**
   * An Execute of a portal that has not run yet.
   *
   * @param describe the client waits for the row description (or NoData) first; else it must not be
   *     sent
   * @param maxRows 0 for all; else the portal is suspended after so many rows
   */
  record Execute(ClientPortal portal, boolean describe, int maxRows) implements StatementCall {
    @Override
    public String sql() {
      return portal.statement().sql();
    }
  }

  /** The next rows of a portal that was suspended. */
  record Continue(ClientPortal portal, int maxRows) implements StatementCall {
    @Override
    public String sql() {
      return portal.statement().sql();
    }
  }

  /** The portal of the extended protocol; empty for a simple Query. */
  default Optional<ClientPortal> boundPortal() {
    if (this instanceof Execute execute) {
      return Optional.of(execute.portal());
    }
    return this instanceof Continue more ? Optional.of(more.portal()) : Optional.empty();
  }
}
