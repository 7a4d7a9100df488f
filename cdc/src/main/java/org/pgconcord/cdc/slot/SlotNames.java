package org.pgconcord.cdc.slot;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Locale;
import org.pgconcord.cdc.change.StreamName;
import org.pgconcord.config.sharding.XxHash;

/**
 * Names of slots and publications. Each holds the catalog's cluster id and a hash of the stream's
 * name, since PostgreSQL allows a slot only 63 characters of {@code [a-z0-9_]}; it is the same
 * after every restart.
 */
public final class SlotNames {
  private static final String START = "pgconcord_";
  private static final int CLUSTER_CHARACTERS = 20;

  private final String cluster;

  /**
   * @param clusterId the catalog's cluster id, which differs in its first 20 letters and digits
   */
  public SlotNames(String clusterId) {
    String plain = clusterId.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]", "");
    if (plain.isEmpty()) {
      throw new IllegalArgumentException("a cluster id without letters and digits");
    }
    this.cluster = plain.substring(0, Math.min(CLUSTER_CHARACTERS, plain.length()));
  }

  /** The slot that serves every index and copy of the stream. */
  public String slot(StreamName stream) {
    return prefix() + hash(stream);
  }

  /** The publication that the slot reads; it lives in the stream's database. */
  public String publication(StreamName stream) {
    return slot(stream);
  }

  /** What every slot and publication of this cluster begins with. */
  public String prefix() {
    return START + cluster + "_";
  }

  private static String hash(StreamName stream) {
    long hash = XxHash.hash64(stream.toString().getBytes(StandardCharsets.UTF_8));
    return HexFormat.of().toHexDigits(hash);
  }
}
