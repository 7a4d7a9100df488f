package org.pgconcord.daemon.faults;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.daemon.process.DaemonProcess;
import org.pgconcord.daemon.process.SampleSystem;
import org.pgconcord.testkit.cluster.sample.SampleSchema;
import org.pgconcord.testkit.invariant.CopyChecker;
import org.pgconcord.testkit.invariant.Ledger.Told;
import org.pgconcord.testkit.invariant.Violation;

/** The promises about the rows of one run: those that must hold at once, whatever has died. */
final class CutCheck {
  private static final String MARKED =
      "SELECT shard FROM pgconcord.copy WHERE name = 'countries' AND state = 'unequal'";

  /** The lock's timeout, the statement's. */
  private static final Set<String> WAITED = Set.of("55P03", "57014");

  private final SampleSystem system;
  private final CutRig.Admins admins;
  private final CopyChecker copies;

  CutCheck(SampleSystem system, CutRig.Admins admins) {
    this.system = system;
    this.admins = admins;
    this.copies =
        new CopyChecker(
            SampleSchema.COUNTRIES, system.cluster().shards(), system.cluster()::asSuperuser);
  }

  /** After the fault and the recovery. */
  List<Violation> after(CutCase each, CutRows rows, Fault fault, CutRig.Ended ended)
      throws SQLException {
    return rows.table().hasIndex() ? indexed(each, rows, ended) : countries(rows, fault, ended);
  }

  /** While a message is held: each row has an entry, no key two rows, each answer is true. */
  List<Violation> meanwhile(CutCase each, CutRows rows) throws SQLException {
    if (!rows.table().hasIndex()) {
      return List.of();
    }
    Set<String> found = found(rows);
    List<Violation> violations = new ArrayList<>(entries(rows, found, each.story().alwaysAtomic()));
    List<Violation> answers = answers(rows, found);
    if (found.equals(found(rows))) {
      violations.addAll(answers);
    }
    return violations;
  }

  // --- tables with an index --------------------------------------------------------------------

  private List<Violation> indexed(CutCase each, CutRows rows, CutRig.Ended ended)
      throws SQLException {
    Set<String> found = found(rows);
    List<Violation> violations = new ArrayList<>(entries(rows, found, false));
    Set<String> before = before(each, rows);
    Set<String> after = each.story().after(rows);
    boolean part = !each.atomic() && each.story().partly(rows, found);
    boolean fits =
        switch (ended.told()) {
          case DONE -> found.equals(after);
          case NOT_DONE -> ended.partial() ? part : found.equals(before);
          case UNKNOWN -> found.equals(before) || found.equals(after) || part;
        };
    if (!fits) {
      violations.add(
          new Violation(
              ended.told() == Told.DONE ? "I6" : "I7",
              each.toString(),
              "told \"%s\", found %s, before %s, after %s"
                  .formatted(ended.message(), found, before, after)));
    }
    ended
        .seen()
        .filter(seen -> !seen.equals(after))
        .ifPresent(
            seen ->
                violations.add(
                    new Violation(
                        "I6", each.toString(), "told done, then read " + seen + ", not " + after)));
    violations.addAll(read(rows, found));
    violations.addAll(answers(rows, found));
    if (rows.table() == CutStory.Table.MEMBERS) {
      violations.addAll(numbers());
    }
    return violations;
  }

  static String rowsOf(CutRows rows, String email) {
    return "SELECT concat_ws('/', tenant_id, user_id, email) FROM %s WHERE email = '%s'"
        .formatted(rows.table().sql(), email);
  }

  private static Set<String> before(CutCase each, CutRows rows) {
    Set<String> before = new TreeSet<>();
    for (String sql : each.story().before(rows)) {
      String[] values = sql.substring(sql.indexOf("VALUES (") + 8, sql.length() - 1).split(", ");
      before.add(values[0] + "/" + values[1] + "/" + values[2].replace("'", ""));
    }
    return before;
  }

  /** A surplus entry costs a visit and never an answer (I2), a missing one would cost the row. */
  private List<Violation> read(CutRows rows, Set<String> found) throws SQLException {
    List<Violation> violations = new ArrayList<>();
    try (Statement statement = admins.client().createStatement()) {
      for (String email : rows.emails()) {
        Set<String> read = texts(statement, rowsOf(rows, email));
        Set<String> there = with(email, found);
        if (!read.equals(there)) {
          violations.add(new Violation("I2", email, "read " + read + ", there is " + there));
        }
      }
    }
    return violations;
  }

  /**
   * What may be answered from an entry alone is what the owners have (I4); while a key moves, at
   * one of its two tenants. A read that waits for the transaction under way has no answer.
   */
  private List<Violation> answers(CutRows rows, Set<String> found) throws SQLException {
    List<Violation> violations = new ArrayList<>();
    try (Statement statement = admins.client().createStatement()) {
      statement.execute("SET lock_timeout = 100; SET statement_timeout = 1000");
      for (String email : rows.emails()) {
        Set<String> there = new TreeSet<>();
        with(email, found).forEach(row -> there.add(row.substring(0, row.indexOf('/'))));
        try {
          Set<String> read =
              texts(
                  statement,
                  "SELECT tenant_id FROM %s WHERE email = '%s'"
                      .formatted(rows.table().sql(), email));
          if (!there.containsAll(read) || (read.isEmpty() && !there.isEmpty())) {
            violations.add(new Violation("I4", email, "read " + read + ", there is " + there));
          }
        } catch (SQLException e) {
          if (!WAITED.contains(e.getSQLState())) {
            throw e;
          }
        }
      }
      statement.execute("RESET lock_timeout; RESET statement_timeout");
    }
    return violations;
  }

  private static Set<String> texts(Statement statement, String query) throws SQLException {
    Set<String> found = new TreeSet<>();
    try (ResultSet row = statement.executeQuery(query)) {
      while (row.next()) {
        found.add(row.getString(1));
      }
    }
    return found;
  }

  private static Set<String> with(String email, Set<String> found) {
    Set<String> there = new TreeSet<>(found);
    there.removeIf(row -> !email(row).equals(email));
    return there;
  }

  /** No number was given twice, on whatever shards. */
  private List<Violation> numbers() throws SQLException {
    Set<String> given = new HashSet<>();
    List<Violation> violations = new ArrayList<>();
    for (ShardId shard : system.cluster().shards()) {
      admins.ask(
          shard,
          "SELECT badge FROM members WHERE badge IS NOT NULL",
          row -> {
            if (!given.add(row.getString(1))) {
              violations.add(new Violation("I3", "badge", row.getString(1) + " was given twice"));
            }
          });
    }
    return violations;
  }

  private static String email(String row) {
    return row.substring(row.lastIndexOf('/') + 1);
  }

  private Set<String> found(CutRows rows) throws SQLException {
    Set<String> found = new TreeSet<>();
    for (ShardId shard : system.cluster().shards()) {
      admins.ask(
          shard,
          "SELECT concat_ws('/', tenant_id, user_id, email) FROM %s WHERE user_id BETWEEN %d AND %d"
              .formatted(rows.table().sql(), rows.user(0), rows.user(CutRows.STEP - 1)),
          row -> found.add(row.getString(1)));
    }
    return found;
  }

  /**
   * Rows were read before entries, so that what ends meanwhile does not look broken. A key that is
   * moving may be at both of its tenants between the commits of their shards (docs/decisions/0009);
   * its entry leads to one of them all the while.
   */
  private List<Violation> entries(CutRows rows, Set<String> found, boolean mayBeMoving)
      throws SQLException {
    Map<String, String> entries = new HashMap<>();
    Map<String, List<String>> owners = new TreeMap<>();
    found.forEach(row -> owners.computeIfAbsent(email(row), e -> new ArrayList<>()).add(row));
    for (String email : owners.keySet()) {
      admins.ask(
          system.cluster().shards().get(0),
          "SELECT tenant_id FROM %s_by_email WHERE email = '%s'"
              .formatted(rows.table().sql(), email),
          row -> entries.put(email, row.getString(1)));
    }
    List<Violation> violations = new ArrayList<>();
    owners.forEach(
        (email, all) -> {
          String entry = entries.get(email);
          if (all.size() > 1 && !mayBeMoving) {
            violations.add(new Violation("I3", email, "owners " + all));
          }
          if (entry == null || (!mayBeMoving && !all.get(0).startsWith(entry + "/"))) {
            violations.add(new Violation("I1", email, "entry of " + entry + ", row " + all));
          }
        });
    return violations;
  }

  // --- countries -------------------------------------------------------------------------------

  private List<Violation> countries(CutRows rows, Fault fault, CutRig.Ended ended)
      throws SQLException {
    if (fault != Fault.CUT && fault != Fault.RESET && fault != Fault.TRUNCATE) {
      // Who died could not mark; the verification at the next start does.
      daemon("verify");
    }
    Set<ShardId> marked = new HashSet<>();
    ShardId leader = system.cluster().shards().get(0);
    admins.ask(leader, MARKED, row -> marked.add(new ShardId(row.getString(1))));
    List<Violation> violations = new ArrayList<>(copies.violations(marked));
    List<Boolean> there = new ArrayList<>();
    for (ShardId shard : system.cluster().shards()) {
      List<String> found = new ArrayList<>();
      admins.ask(
          shard,
          "SELECT code FROM countries WHERE code = '" + rows.code() + "'",
          row -> found.add(row.getString(1)));
      there.add(!found.isEmpty());
    }
    if (ended.told() == Told.DONE && there.contains(false)) {
      violations.add(new Violation("I6", rows.code(), "acknowledged, there: " + there));
    }
    if (ended.told() == Told.NOT_DONE && !ended.partial() && there.contains(true)) {
      violations.add(
          new Violation("I7", rows.code(), "told " + ended.message() + ", there: " + there));
    }
    if (!marked.isEmpty() || !copies.violations(Set.of()).isEmpty()) {
      daemon("repair");
    }
    return violations;
  }

  private void daemon(String command) {
    DaemonProcess daemon = system.daemon();
    daemon.client().post("/references/countries/" + command, Map.of());
  }

  /** What a story put there behind every router's back, if the router has not taken it over. */
  void clearSurplus(CutCase each, CutRows rows) throws SQLException {
    if (!each.story().surplus(rows).isEmpty()) {
      admins.run(
          system.cluster().shards().get(0),
          "DELETE FROM %s_by_email WHERE email = '%s' AND tenant_id = %d"
              .formatted(rows.table().sql(), rows.email("x"), rows.away()));
    }
  }

  /** Takes the rows of all runs away, so that the next look at everything is short. */
  void clear() throws SQLException {
    for (ShardId shard : system.cluster().shards()) {
      admins.run(shard, "DELETE FROM users WHERE email LIKE 'cut%'");
      admins.run(shard, "DELETE FROM countries WHERE name = 'cut'");
    }
    admins.run(
        system.cluster().shards().get(0), "DELETE FROM users_by_email WHERE email LIKE 'cut%'");
    try (Statement statement = admins.client().createStatement()) {
      // By a router: after a direct write entries would not answer by themselves.
      statement.execute("DELETE FROM members WHERE email LIKE 'cut%'");
    }
  }

  /** Copies that differ, marked or not. */
  List<Violation> copies() throws SQLException {
    return copies.violations(Set.of());
  }
}
