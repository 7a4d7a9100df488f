package org.pgconcord.daemon.demo;

import java.util.ArrayDeque;
import java.util.Deque;
import org.pgconcord.testkit.cluster.sample.SampleUser;
import org.pgconcord.testkit.cluster.sample.SampleUsers;

/**
 * The rows that one writer owns: of the loaded ones every second, and those that it made itself. No
 * other writer touches them, so what a writer remembers of a row is what the row is.
 */
final class RowPool {
  /** A row as its writer knows it. */
  record Row(long tenantId, long userId, String email) {}

  /** The first rows are left alone: the samples show them. */
  static final long FIRST = 101;

  private static final int KEPT = 1_000;

  private final SampleUsers users;
  private final long lastLoaded;
  private final Deque<Row> own = new ArrayDeque<>();
  private long nextLoaded;
  private boolean turn;

  /**
   * @param parity 0 or 1: which half of the loaded rows
   */
  RowPool(SampleUsers users, long lastLoaded, int parity) {
    this.users = users;
    this.lastLoaded = lastLoaded;
    this.nextLoaded = FIRST + parity;
  }

  /** Takes a row out of the pool, a loaded one and one of the writer's own by turns. */
  Row take() {
    turn = !turn;
    if ((turn || own.isEmpty()) && nextLoaded <= lastLoaded) {
      SampleUser user = users.user(nextLoaded);
      nextLoaded += 2;
      return new Row(user.tenantId(), user.userId(), user.email());
    }
    return own.remove();
  }

  /** Remembers a row that the writer made, or one that it took and left in place. */
  void put(Row row) {
    if (own.size() < KEPT) {
      own.add(row);
    }
  }
}
