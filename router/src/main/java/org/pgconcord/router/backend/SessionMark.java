package org.pgconcord.router.backend;

import java.util.concurrent.ThreadLocalRandom;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.router.wire.TransactionStatus;

/**
 * How any router sees on a server which backends belong to one session: each that may hold a lock
 * has a shared advisory lock on two numbers, the router's and the session's, from its login on. A
 * lock on something that nobody else wants is in nobody's way, stays with the backend through
 * PREPARE TRANSACTION, and is in {@code pg_locks} for everybody to read.
 *
 * <p>A backend that could not get it, or whose client lets all advisory locks go, works as well
 * without; other routers do not know then who waits there. The router's number is random; two
 * sessions that shared both numbers would count as one. They are a contract between routers of all
 * versions (decision 0028).
 *
 * @param value the router's number and below it, in 32 bits, the session's; never 0
 */
public record SessionMark(long value) {
  /** The first byte of the lock's first number. */
  private static final int MAGIC = 0x70;

  private static final int ROUTER_BITS = 24;

  /** The second number has this bit: an epoch, the second number of a fence, never has. */
  private static final int SESSION_BIT = 30;

  /** True of such locks; a condition on {@code pg_locks}. */
  public static final String CONDITION =
      "locktype = 'advisory' AND objsubid = 2 AND granted AND pid IS NOT NULL"
          + " AND classid::int8 >> %d = %d AND objid::int8 >> %d = 1"
              .formatted(ROUTER_BITS, MAGIC, SESSION_BIT);

  /** The mark of such a lock. */
  public static final String VALUE =
      "((classid::int8 & %d) << 32) | objid::int8".formatted((1 << ROUTER_BITS) - 1);

  /** Its answer is nobody's concern: without a mark all else goes on. */
  private static final BackendListener UNHEARD =
      new BackendListener() {
        @Override
        public void ready(TransactionStatus status) {}

        @Override
        public void lost(ConcordException cause) {}
      };

  static int randomRouter() {
    return ThreadLocalRandom.current().nextInt(1, 1 << ROUTER_BITS);
  }

  /**
   * @param session counts the router's sessions; of its bits only the lowest are seen
   */
  static SessionMark of(int router, int session) {
    return new SessionMark(
        (long) router << 32 | 1L << SESSION_BIT | (session & ((1 << SESSION_BIT) - 1)));
  }

  /**
   * Shows it on a backend that is in no transaction, now, or after what has been sent to it. Not
   * waited for: it travels with the statement that follows. Nor does it wait: a client that took
   * the lock of somebody else for itself alone would else hold up a session.
   */
  public void show(BackendConnection connection) {
    boolean locks =
        connection.role() != BackendRole.REPLICA && connection.role() != BackendRole.WATCH;
    if (locks && connection.open()) {
      connection.send(new BackendRequest.Query(sql()), UNHEARD);
    }
  }

  private String sql() {
    return "SELECT pg_catalog.pg_try_advisory_lock_shared(%d, %d)"
        .formatted(MAGIC << ROUTER_BITS | (int) (value >>> 32), (int) value);
  }

  /** Of the same router. */
  public static boolean siblings(long one, long other) {
    return one >>> 32 == other >>> 32;
  }
}
