package org.pgconcord.router.session;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** What a transaction may write, and how its parts commit: {@code pgconcord.tx_mode}. */
public enum CommitMode {
  /** Rows of any number of shards; their parts commit one after the other. */
  MULTI,
  /** Rows of one shard. */
  SINGLE,
  /** Rows and entries of any number of shards; all of them commit, or none. */
  ATOMIC;

  /** The setting's name. */
  public static final String SETTING = "pgconcord.tx_mode";

  /** As a client writes it. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  static Optional<CommitMode> of(String word) {
    return Arrays.stream(values()).filter(m -> m.word().equalsIgnoreCase(word)).findFirst();
  }

  static List<String> words() {
    return Arrays.stream(values()).map(CommitMode::word).toList();
  }
}
