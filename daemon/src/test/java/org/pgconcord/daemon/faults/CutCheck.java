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
  List<Violation> after(CutCase each, CutStory.Rows rows, Fault fault, CutRig.Ended ended)
      throws SQLException {
    return each.story().kind() == CutStory.Kind.USERS
        ? users(each, rows, ended)
        : countries(rows, fault, ended);
  }

  /** While a message is held: each row has an entry, no key two rows. */
  List<Violation> meanwhile(CutCase each, CutStory.Rows rows) throws SQLException {
    return each.story().kind() == CutStory.Kind.USERS
        ? entries(found(rows), each.story().alwaysAtomic())
        : List.of();
  }

  // --- users -----------------------------------------------------------------------------------

  private List<Violation> users(CutCase each, CutStory.Rows rows, CutRig.Ended ended)
      throws SQLException {
    Set<String> found = found(rows);
    List<Violation> violations = new ArrayList<>(entries(found, false));
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
    violations.addAll(read(found, before, after));
    return violations;
  }

  static String rowsOf(String email) {
    return "SELECT concat_ws('/', tenant_id, user_id, email) FROM users WHERE email = '"
        + email
        + "'";
  }

  private static Set<String> before(CutCase each, CutStory.Rows rows) {
    Set<String> before = new TreeSet<>();
    for (String sql : each.story().before(rows)) {
      String[] values = sql.substring(sql.indexOf("VALUES (") + 8, sql.length() - 1).split(", ");
      before.add(values[0] + "/" + values[1] + "/" + values[2].replace("'", ""));
    }
    return before;
  }

  /** A surplus entry costs a visit and never an answer (I2), a missing one would cost the row. */
  private List<Violation> read(Set<String> found, Set<String> before, Set<String> after)
      throws SQLException {
    Set<String> all = new HashSet<>(before);
    all.addAll(after);
    List<Violation> violations = new ArrayList<>();
    try (Statement statement = admins.client().createStatement()) {
      for (String email : all.stream().map(CutCheck::email).distinct().toList()) {
        Set<String> read = new TreeSet<>();
        try (ResultSet row = statement.executeQuery(rowsOf(email))) {
          while (row.next()) {
            read.add(row.getString(1));
          }
        }
        Set<String> there = new TreeSet<>(found);
        there.removeIf(row -> !email(row).equals(email));
        if (!read.equals(there)) {
          violations.add(new Violation("I2", email, "read " + read + ", there is " + there));
        }
      }
    }
    return violations;
  }

  private static String email(String row) {
    return row.substring(row.lastIndexOf('/') + 1);
  }

  private Set<String> found(CutStory.Rows rows) throws SQLException {
    Set<String> found = new TreeSet<>();
    for (ShardId shard : system.cluster().shards()) {
      admins.ask(
          shard,
          "SELECT concat_ws('/', tenant_id, user_id, email) FROM users WHERE user_id BETWEEN "
              + rows.user(0)
              + " AND "
              + rows.user(CutStory.Rows.STEP - 1),
          row -> found.add(row.getString(1)));
    }
    return found;
  }

  /**
   * Rows were read before entries, so that what ends meanwhile does not look broken. A key that is
   * moving may be at both of its tenants between the commits of their shards (docs/decisions/0009);
   * its entry leads to one of them all the while.
   */
  private List<Violation> entries(Set<String> found, boolean mayBeMoving) throws SQLException {
    Map<String, String> entries = new HashMap<>();
    Map<String, List<String>> owners = new TreeMap<>();
    found.forEach(row -> owners.computeIfAbsent(email(row), e -> new ArrayList<>()).add(row));
    for (String email : owners.keySet()) {
      admins.ask(
          system.cluster().shards().get(0),
          "SELECT tenant_id FROM users_by_email WHERE email = '" + email + "'",
          row -> entries.put(email, row.getString(1)));
    }
    List<Violation> violations = new ArrayList<>();
    owners.forEach(
        (email, rows) -> {
          String entry = entries.get(email);
          if (rows.size() > 1 && !mayBeMoving) {
            violations.add(new Violation("I3", email, "owners " + rows));
          }
          if (entry == null || (!mayBeMoving && !rows.get(0).startsWith(entry + "/"))) {
            violations.add(new Violation("I1", email, "entry of " + entry + ", row " + rows));
          }
        });
    return violations;
  }

  // --- countries -------------------------------------------------------------------------------

  private List<Violation> countries(CutStory.Rows rows, Fault fault, CutRig.Ended ended)
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
  void clearSurplus(CutCase each, CutStory.Rows rows) throws SQLException {
    if (!each.story().surplus(rows).isEmpty()) {
      admins.run(
          system.cluster().shards().get(0),
          "DELETE FROM users_by_email WHERE email = '%s' AND tenant_id = %d"
              .formatted(rows.email("x"), rows.away()));
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
  }

  /** Copies that differ, marked or not. */
  List<Violation> copies() throws SQLException {
    return copies.violations(Set.of());
  }
}
