package org.pgconcord.router.session;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Which servers a session's statements go to: {@code pgconcord.target}. */
public enum ReadTarget {
  /** The shards' primaries. */
  PRIMARY,
  /** Replicas whose lag is within the session's bound; nothing is written. */
  REPLICA;

  /** The setting's name. */
  public static final String SETTING = "pgconcord.target";

  /** As a client writes it. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  static Optional<ReadTarget> of(String word) {
    return Arrays.stream(values()).filter(t -> t.word().equalsIgnoreCase(word)).findFirst();
  }

  static List<String> words() {
    return Arrays.stream(values()).map(ReadTarget::word).toList();
  }
}
