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

  /** CopyData, CopyDone or CopyFail outside a COPY: ignored, as the protocol asks. */
  record StrayCopy() implements FrontendMessage {}

  /** FunctionCall, which nothing uses any more. */
  record FunctionCall() implements FrontendMessage {}

  /** Right by its header, wrong inside: an error, and the rest up to Sync is skipped. */
  record Malformed(String sqlState, String message, boolean simple) implements FrontendMessage {}
}
