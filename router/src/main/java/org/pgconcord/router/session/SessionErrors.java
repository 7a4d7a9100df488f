package org.pgconcord.router.session;

import org.pgconcord.router.wire.ErrorFields;

/** Faults that PostgreSQL's own server would report in these words; drivers match them. */
public final class SessionErrors {
  private SessionErrors() {}

  static ErrorFields unknownStatement(String name) {
    return ErrorFields.plain(
        "ERROR",
        "26000",
        name.isEmpty()
            ? "unnamed prepared statement does not exist"
            : "prepared statement \"" + name + "\" does not exist");
  }

  static ErrorFields duplicateStatement(String name) {
    return ErrorFields.plain(
        "ERROR", "42P05", "prepared statement \"" + name + "\" already exists");
  }

  static ErrorFields tooManyStatements(int max) {
    return ErrorFields.plain(
        "ERROR", "54000", "a session can hold at most " + max + " prepared statements and portals");
  }

  static ErrorFields unknownPortal(String name) {
    return ErrorFields.plain("ERROR", "34000", "portal \"" + name + "\" does not exist");
  }

  static ErrorFields duplicatePortal(String name) {
    return ErrorFields.plain("ERROR", "42P03", "cursor \"" + name + "\" already exists");
  }

  static ErrorFields portalCannotRun(String name) {
    return ErrorFields.plain("ERROR", "55000", "portal \"" + name + "\" cannot be run");
  }

  /** A message that has no place between a COPY's data. */
  static ErrorFields notInCopy() {
    return ErrorFields.plain("ERROR", "08P01", "unexpected message type during COPY from stdin");
  }

  /** A prepared statement would give other columns than it gave when the client prepared it. */
  public static ErrorFields columnsChanged() {
    return ErrorFields.plain("ERROR", "0A000", "cached plan must not change result type");
  }

  /** PostgreSQL may say so in another language. */
  static boolean saysColumnsChanged(ErrorFields fields) {
    return fields.sqlState().equals("0A000")
        && ("RevalidateCachedQuery".equals(fields.field('R'))
            || fields.message().equals(columnsChanged().message()));
  }
}
