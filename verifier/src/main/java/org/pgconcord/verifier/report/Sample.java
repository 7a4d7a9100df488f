package org.pgconcord.verifier.report;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One example of a difference.
 *
 * @param key null for a NULL violation
 * @param owners the owner rows concerned
 * @param entry the shard key that the entry names, or null without entry
 */
public record Sample(
    Difference difference, @Nullable String key, List<Owner> owners, @Nullable String entry) {
  public Sample {
    owners = List.copyOf(owners);
  }

  /**
   * An owner row.
   *
   * @param shardKey null only in a NULL violation
   * @param primaryKey its values as text; empty when the row was gone before it could be read
   */
  public record Owner(String shard, @Nullable String shardKey, List<String> primaryKey) {
    public Owner {
      primaryKey = List.copyOf(primaryKey);
    }
  }
}
