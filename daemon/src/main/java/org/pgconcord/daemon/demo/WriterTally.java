package org.pgconcord.daemon.demo;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** What one writer did, by kind, and the first thing that went wrong. Any thread may call. */
final class WriterTally {
  /** The kinds of change. */
  enum Kind {
    INSERT,
    UPDATE,
    DELETE,
    MOVE;

    String words(long count) {
      String word = name().toLowerCase(Locale.ROOT);
      return String.format(Locale.ROOT, "%,d %s%s", count, word, count == 1 ? "" : "s");
    }
  }

  private final Map<Kind, Long> counts = new EnumMap<>(Kind.class);
  private long failures;
  private String firstFailure = "";

  synchronized void count(Kind kind) {
    counts.merge(kind, 1L, Long::sum);
  }

  synchronized void failed(String message) {
    failures++;
    if (firstFailure.isEmpty()) {
      firstFailure = message.lines().findFirst().orElse("");
    }
  }

  synchronized long changes() {
    return counts.values().stream().mapToLong(Long::longValue).sum();
  }

  synchronized Optional<String> failure() {
    return failures == 0
        ? Optional.empty()
        : Optional.of(failures + " failed, the first with: " + firstFailure);
  }

  /** {@code 120 inserts, 60 updates, 58 deletes}. */
  synchronized String words() {
    return counts.entrySet().stream()
        .map(each -> each.getKey().words(each.getValue()))
        .collect(Collectors.joining(", "));
  }
}
