package org.pgconcord.verifier.correct;

import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Which transactions a snapshot sees (PostgreSQL manual, {@code pg_snapshot}).
 *
 * @param xmin every transaction below has ended
 * @param xmax no transaction from here on had ended
 * @param running those in between that had not ended
 */
public record XidSnapshot(long xmin, long xmax, Set<Long> running) {
  private static final long CYCLE = 1L << 32;

  public XidSnapshot {
    running = Set.copyOf(running);
  }

  /** Reads {@code xmin:xmax:xip,xip}, as the server prints it. */
  public static XidSnapshot parse(String text) {
    String[] parts = text.split(":", -1);
    Set<Long> running =
        parts[2].isEmpty()
            ? Set.of()
            : Arrays.stream(parts[2].split(",", -1))
                .map(Long::parseLong)
                .collect(Collectors.toSet());
    return new XidSnapshot(Long.parseLong(parts[0]), Long.parseLong(parts[1]), running);
  }

  /** Whether a committed transaction's effects are seen. */
  public boolean sees(long fullXid) {
    return fullXid < xmin || (fullXid < xmax && !running.contains(fullXid));
  }

  /**
   * The 64-bit id that ends in these low 32 bits and is nearest to {@link #xmax}: right for every
   * transaction that a running server still knows, since those span less than half of the circle.
   */
  public long widen(long low) {
    long full = (xmax & -CYCLE) | (low & (CYCLE - 1));
    if (full - xmax > CYCLE / 2) {
      return full - CYCLE;
    }
    return xmax - full > CYCLE / 2 ? full + CYCLE : full;
  }
}
