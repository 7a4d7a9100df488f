package org.pgconcord.daemon.faults;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.pgconcord.config.value.ShardId;

/**
 * One story in one mode.
 *
 * @param home the shard that the story is about
 */
record CutCase(CutStory story, Mode mode, ShardId home) {
  /** How the client asks for it. */
  enum Mode {
    /** One statement, committed with it; {@code tx_mode} is {@code multi}. */
    ALONE,
    /** A transaction, {@code tx_mode = multi}. */
    MULTI,
    /** A transaction, {@code tx_mode = atomic}. */
    ATOMIC;

    boolean explicit() {
      return this != ALONE;
    }

    String txMode() {
      return this == ATOMIC ? "atomic" : "multi";
    }
  }

  /** Every story in every mode that it makes sense in, on each shard. */
  static List<CutCase> all(List<ShardId> shards) {
    List<CutCase> cases = new ArrayList<>();
    for (CutStory story : CutStory.all()) {
      for (Mode mode : Mode.values()) {
        int statements = story.statements(new CutRows(story.table(), 1, 2, 1)).size();
        for (ShardId home : shards) {
          if (mode.explicit() || statements == 1) {
            cases.add(new CutCase(story, mode, home));
          }
        }
      }
    }
    return cases;
  }

  /** Whether it is all or nothing whatever dies. */
  boolean atomic() {
    return mode == Mode.ATOMIC || story.alwaysAtomic();
  }

  @Override
  public String toString() {
    return "%s %s on %s".formatted(story.name(), mode, home.uid()).toLowerCase(Locale.ROOT);
  }
}
