package org.pgconcord.router.session;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * How many shards a statement's rows may be on: {@code pgconcord.fanout}. What the router does
 * beside the statement is not counted: entries, copies of reference tables.
 */
public enum FanOut {
  /** One shard. */
  SINGLE,
  /** The shards that the statement's values name. */
  MULTI,
  /** Any. */
  SCATTER;

  /** The setting's name. */
  public static final String SETTING = "pgconcord.fanout";

  /** As a client writes it. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** A statement of this width may run. */
  public boolean allows(FanOut width) {
    return width.compareTo(this) <= 0;
  }

  static Optional<FanOut> of(String word) {
    return Arrays.stream(values()).filter(f -> f.word().equalsIgnoreCase(word)).findFirst();
  }

  static List<String> words() {
    return Arrays.stream(values()).map(FanOut::word).toList();
  }
}
