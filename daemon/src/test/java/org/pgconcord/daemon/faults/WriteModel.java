package org.pgconcord.daemon.faults;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.pgconcord.testkit.invariant.Violation;

/**
 * What every row may look like by what clients were told: an acknowledged write is in, a refused
 * one is not, one whose outcome is unknown is either. A row belongs to one client, so that nobody
 * else has changed it.
 */
final class WriteModel {
  /** The state of a row that is not there. */
  static final String GONE = "";

  private final Map<Long, Set<String>> possible = new HashMap<>();
  private final List<Whole> wholes = new ArrayList<>();

  /** What was last told of a row whose change was refused, for the words of a violation. */
  private final Map<Long, String> refusals = new HashMap<>();

  /** Rows that changed together or not at all, it is not known which. */
  private record Whole(Map<Long, String> before, Map<Long, String> after) {}

  synchronized void done(Map<Long, String> changed) {
    changed.forEach((row, state) -> possible.put(row, new HashSet<>(Set.of(state))));
  }

  /** None of them has changed. */
  synchronized void refused(Set<Long> rows, String words) {
    rows.forEach(row -> refusals.put(row, words));
  }

  /** Each of them may have changed. */
  synchronized void unknown(Map<Long, String> changed) {
    changed.forEach((row, state) -> states(row).add(state));
  }

  /** All of them may have changed, or none. Nobody writes them again. */
  synchronized void unknownAsOne(Map<Long, String> before, Map<Long, String> changed) {
    wholes.add(new Whole(before, changed));
    unknown(changed);
  }

  /** The state of a row when only one is possible. */
  synchronized boolean is(long row, String state) {
    return states(row).equals(Set.of(state));
  }

  private Set<String> states(long row) {
    return possible.computeIfAbsent(row, r -> new HashSet<>(Set.of(GONE)));
  }

  synchronized int rows() {
    return possible.size();
  }

  /** Holds it against what is there. */
  synchronized List<Violation> violations(Map<Long, String> found) {
    List<Violation> violations = new ArrayList<>();
    Set<Long> all = new HashSet<>(found.keySet());
    all.addAll(possible.keySet());
    for (long row : all) {
      String state = found.getOrDefault(row, GONE);
      if (!states(row).contains(state)) {
        violations.add(
            new Violation(
                "I6",
                "row " + row,
                "is \"%s\", may be %s; refused last: %s"
                    .formatted(state, states(row), refusals.get(row))));
      }
    }
    for (Whole whole : wholes) {
      if (!fits(whole.before(), found) && !fits(whole.after(), found)) {
        violations.add(
            new Violation(
                "I7", "rows " + whole.after().keySet(), "neither as before nor as after " + whole));
      }
    }
    return violations;
  }

  private static boolean fits(Map<Long, String> rows, Map<Long, String> found) {
    return rows.entrySet().stream()
        .allMatch(row -> found.getOrDefault(row.getKey(), GONE).equals(row.getValue()));
  }
}
