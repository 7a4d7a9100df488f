package org.pgconcord.daemon.process;

/** What a suite tells of itself: its count and the seed to run it again with. */
public record Suite(String name, int count, long seed) {
  /** A fresh seed, or the one in {@code -Dpgconcord.seed}; printed with the count. */
  public static Suite begin(String name, int count) {
    Suite suite = new Suite(name, count, Long.getLong("pgconcord.seed", System.nanoTime()));
    System.out.println("suite " + name + " count=" + count + " seed=" + suite.seed());
    return suite;
  }
}
