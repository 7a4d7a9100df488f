package org.pgconcord.testkit.cluster;

import java.util.List;

/**
 * Makes a server do something within COMMIT itself. A deferred trigger alone does not: a router
 * fires what is deferred before it commits anything ({@code SET CONSTRAINTS ALL IMMEDIATE}). The
 * one made here then defers everything again and stores a row elsewhere, whose own deferred trigger
 * is fired by COMMIT.
 *
 * @param name of all that is made: triggers, functions and, with {@code _row}, a table
 * @param table whose rows lead to it
 */
public record CommitHook(String name, String table) {
  /**
   * What makes it, for the table's owner.
   *
   * @param event such as {@code INSERT}
   * @param condition on NEW or OLD
   * @param body statements of PL/pgSQL
   */
  public List<String> create(String event, String condition, String body) {
    return List.of(
        "CREATE TABLE " + row() + " ()",
        "GRANT INSERT ON " + row() + " TO PUBLIC",
        function(name + "_late", body),
        trigger("INSERT", row(), "true", name + "_late"),
        function(name, "SET CONSTRAINTS ALL DEFERRED; INSERT INTO " + row() + " DEFAULT VALUES;"),
        trigger(event, table, condition, name));
  }

  /** What takes it away again. */
  public List<String> drop() {
    return List.of(
        "DROP TRIGGER IF EXISTS " + name + " ON " + table,
        "DROP TABLE IF EXISTS " + row(),
        "DROP FUNCTION IF EXISTS " + name + "(), " + name + "_late()");
  }

  private String row() {
    return name + "_row";
  }

  private static String function(String name, String body) {
    return "CREATE FUNCTION %s() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN %s RETURN NULL; END $$"
        .formatted(name, body);
  }

  private String trigger(String event, String on, String condition, String function) {
    return ("CREATE CONSTRAINT TRIGGER %s AFTER %s ON %s DEFERRABLE INITIALLY DEFERRED FOR EACH ROW"
            + " WHEN (%s) EXECUTE FUNCTION %s()")
        .formatted(name, event, on, condition, function);
  }
}
