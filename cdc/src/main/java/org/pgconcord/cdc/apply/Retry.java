package org.pgconcord.cdc.apply;

import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCategory;
import org.pgconcord.config.error.ErrorCode;

/** Which failures of a target pass by themselves, and how long to wait for that. */
final class Retry {
  private static final Duration LONGEST = Duration.ofSeconds(10);
  private static final Duration FIRST = Duration.ofMillis(50);

  /**
   * The target refuses the data itself: the same statement will fail again. Class 54 is a key that
   * is too long for the lookup table's index; without it the stream stood still for every index,
   * and rows behind it had no entries while the index was read.
   */
  private static final Set<String> HOPELESS_CLASSES = Set.of("22", "23", "42", "54", "0A");

  private int failures;

  void succeeded() {
    failures = 0;
  }

  Duration next() {
    long millis = FIRST.toMillis() << Math.min(failures++, 8);
    return millis > LONGEST.toMillis() ? LONGEST : Duration.ofMillis(millis);
  }

  int failures() {
    return failures;
  }

  /**
   * Whether trying again can help: a lock, a deadlock, a full disk, a server that is away; not a
   * value or a table that the target will not take.
   */
  static boolean mayPass(Exception failure) {
    if (failure instanceof ConcordException known) {
      return known.code() != ErrorCode.ENGINE_FENCED
          && known.code() != ErrorCode.CHANGE_UNREADABLE
          && (known.code().category() == ErrorCategory.SHARD
              || known.code().category() == ErrorCategory.RESOURCES);
    }
    if (failure instanceof SQLException sql) {
      String state = String.valueOf(sql.getSQLState());
      return state.length() < 2 || !HOPELESS_CLASSES.contains(state.substring(0, 2));
    }
    return false;
  }
}
