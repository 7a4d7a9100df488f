package org.pgconcord.router.session;

/**
 * A statement that changes settings.
 *
 * @param name lower case; empty for RESET ALL and DISCARD ALL. {@code SET TIME ZONE} is {@code
 *     timezone}, {@code SET NAMES} {@code client_encoding}, {@code SET SESSION AUTHORIZATION}
 *     {@code session_authorization}, {@code SET TRANSACTION} {@code transaction} (LOCAL), {@code
 *     SET SESSION CHARACTERISTICS} {@code session characteristics}
 * @param value the value as text, quotes removed, list items joined by {@code ", "}; empty for
 *     DEFAULT and the RESET forms
 */
public record SettingCommand(Kind kind, String name, String value) {
  /** What the statement does. */
  public enum Kind {
    SET,
    SET_LOCAL,
    /** Also {@code SET x TO DEFAULT}. */
    RESET,
    RESET_ALL,
    DISCARD_ALL
  }
}
