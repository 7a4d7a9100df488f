package org.pgconcord.testkit.invariant;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * What clients were told about their writes, to be held against what is there: an acknowledged
 * write is never lost (I6), and one that is there was acknowledged or reported as unknown (I7).
 *
 * <p>Each write has a name of its own; whether it has happened is for the caller to find out.
 */
public final class Ledger {
  /** What a client knows when its write has ended. */
  public enum Told {
    /** It was committed. */
    DONE,
    /** It was not, by an error that says so. */
    NOT_DONE,
    /** 08007, or the connection to the router itself ended. */
    UNKNOWN
  }

  private final Map<String, Told> told = new TreeMap<>();

  public synchronized void record(String write, Told answer) {
    told.put(write, answer);
  }

  public synchronized long count(Told answer) {
    return told.values().stream().filter(answer::equals).count();
  }

  /** Holds what was told against {@code happened}. */
  public synchronized List<Violation> violations(Predicate<String> happened) {
    List<Violation> found = new ArrayList<>();
    told.forEach(
        (write, answer) -> {
          boolean there = happened.test(write);
          if (answer == Told.DONE && !there) {
            found.add(new Violation("I6", write, "acknowledged and not there"));
          }
          if (answer == Told.NOT_DONE && there) {
            found.add(new Violation("I7", write, "refused and there all the same"));
          }
        });
    return found;
  }
}
