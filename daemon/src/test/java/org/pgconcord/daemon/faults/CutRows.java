package org.pgconcord.daemon.faults;

import java.util.List;

/**
 * The rows of one run.
 *
 * @param home a tenant on the shard that the case is about
 * @param away one on the other
 * @param number of the run; no other run has it
 */
record CutRows(CutStory.Table table, long home, long away, long number) {
  /** User ids of one run. */
  static final int STEP = 10;

  private static final int LETTERS = 36;

  long user(int which) {
    return number * STEP + which;
  }

  String email(String which) {
    return "cut" + number + which + "@example.org";
  }

  /** Of a country that is in no list. */
  String code() {
    long rest = number % (LETTERS * LETTERS);
    return Character.toString(letter(rest / LETTERS)) + letter(rest % LETTERS);
  }

  private static char letter(long which) {
    return Character.forDigit((int) which, LETTERS);
  }

  /** The keys that a story may use. */
  List<String> emails() {
    return List.of(email("w"), email("x"), email("y"), email("z"));
  }

  String insert(long tenant, int which, String email) {
    return "INSERT INTO %s (tenant_id, user_id, email%s) VALUES %s"
        .formatted(table.sql(), numbered() ? ", badge" : "", values(tenant, which, email));
  }

  /** A row of VALUES; only what is about numbers takes one. */
  String values(long tenant, int which, String email) {
    return "(%d, %d, '%s'%s)"
        .formatted(tenant, user(which), email(email), numbered() ? ", NULL" : "");
  }

  private boolean numbered() {
    return table == CutStory.Table.MEMBERS;
  }

  String delete(long tenant, int which) {
    return "DELETE FROM %s WHERE tenant_id = %d AND user_id = %d"
        .formatted(table.sql(), tenant, user(which));
  }

  /** A row as the checks read it. */
  String row(long tenant, int which, String email) {
    return tenant + "/" + user(which) + "/" + email(email);
  }
}
