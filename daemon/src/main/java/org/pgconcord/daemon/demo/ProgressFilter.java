package org.pgconcord.daemon.demo;

import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Chooses which of a build's progress lines the demo shows: each shard's first of a phase, then one
 * in ten seconds. The log has all of them, and a terminal's live line what is between.
 */
final class ProgressFilter {
  private static final Pattern SUBJECT = Pattern.compile("shard=(\\S+) phase=(\\S+)");
  private static final long NANOS_BETWEEN = 10_000_000_000L;

  private record Shown(String phase, long nanoTime) {}

  private final LongSupplier nanoTime;
  private final Map<String, Shown> lastShown = new HashMap<>();

  ProgressFilter(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /** Any thread. */
  synchronized boolean show(String line) {
    Matcher subject = SUBJECT.matcher(line);
    if (!subject.find()) {
      return true;
    }
    Shown now = new Shown(subject.group(2), nanoTime.getAsLong());
    Shown last = lastShown.get(subject.group(1));
    boolean show =
        last == null
            || !last.phase().equals(now.phase())
            || now.nanoTime() - last.nanoTime() >= NANOS_BETWEEN;
    if (show) {
      lastShown.put(subject.group(1), now);
    }
    return show;
  }
}
