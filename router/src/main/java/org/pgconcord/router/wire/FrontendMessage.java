package org.pgconcord.router.wire;

/** What a client can say after login, as the PostgreSQL manual names it. */
public sealed interface FrontendMessage {
  /** What Describe and Close speak of. */
  enum Subject {
    STATEMENT,
    PORTAL
  }

  record Query(String sql) implements FrontendMessage {}

  record Parse(String statement, String sql, ParameterTypes types) implements FrontendMessage {}

  record Bind(String portal, String statement, Parameters parameters) implements FrontendMessage {}

  record Describe(Subject subject, String name) implements FrontendMessage {}

  /** {@code maxRows} 0 or below: all. */
  record Execute(String portal, int maxRows) implements FrontendMessage {}

  record Close(Subject subject, String name) implements FrontendMessage {}

  record Flush() implements FrontendMessage {}

  record Sync() implements FrontendMessage {}

  record Terminate() implements FrontendMessage {}

  /** A part of a COPY's data, in parts of any length; ignored outside a COPY. */
  @SuppressWarnings("ArrayRecordComponent") // handed on, never compared
  record CopyData(byte[] bytes) implements FrontendMessage {}

  record CopyDone() implements FrontendMessage {}

  record CopyFail(String message) implements FrontendMessage {}

  /** FunctionCall, which nothing uses any more. */
  record FunctionCall() implements FrontendMessage {}

  /** Right by its header, wrong inside: an error, and the rest up to Sync is skipped. */
  record Malformed(String sqlState, String message, boolean simple) implements FrontendMessage {}
}
