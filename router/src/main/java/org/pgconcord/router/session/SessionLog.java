package org.pgconcord.router.session;

import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.router.wire.ErrorFields;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Bugs met in a session: logged whole, shown to the client by their kind alone. */
final class SessionLog {
  private static final Logger LOG = LoggerFactory.getLogger(SessionLog.class);

  private SessionLog() {}

  static ErrorFields bug(RuntimeException bug) {
    LOG.error("statement failed by a bug", bug);
    return ErrorFields.of(
        ErrorCode.INTERNAL.because(
            "The router could not handle the statement: " + bug.getClass().getSimpleName() + "."));
  }
}
