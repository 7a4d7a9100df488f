package org.pgconcord.config.atomic;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.pgconcord.config.value.ShardId;

/**
 * The name of a prepared transaction: {@code pgconcord_CLUSTER_ROUTER_TRANSACTION_PART_SHARD}.
 *
 * @param cluster 12 hexadecimal digits, the catalog's own
 * @param router 16 hexadecimal digits, one router's for as long as it runs
 * @param transaction 16 hexadecimal digits
 */
public record GlobalId(
    String cluster, String router, String transaction, Part part, ShardId shard) {
  /** PostgreSQL's limit. */
  private static final int MAX_BYTES = 199;

  private static final Pattern FORM =
      Pattern.compile(
          "pgconcord_([0-9a-f]{12})_([0-9a-f]{16})_([0-9a-f]{16})_(pre|main|lead|post)_(.+)",
          Pattern.DOTALL);

  public GlobalId {
    String name = name(cluster, router, transaction, part, shard);
    if (!FORM.matcher(name).matches() || name.getBytes(StandardCharsets.UTF_8).length > MAX_BYTES) {
      throw new IllegalArgumentException("not a name of a prepared transaction: " + name);
    }
  }

  /** A name for a router or a transaction that nothing else has. */
  public static String random(SecureRandom random) {
    byte[] bytes = new byte[Long.BYTES];
    random.nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  /** Empty for prepared transactions of other programs. */
  public static Optional<GlobalId> parse(String gid) {
    Matcher form = FORM.matcher(gid);
    if (!form.matches()) {
      return Optional.empty();
    }
    return Optional.of(
        new GlobalId(
            form.group(1),
            form.group(2),
            form.group(3),
            Part.of(form.group(4)),
            new ShardId(form.group(5))));
  }

  private static String name(
      String cluster, String router, String transaction, Part part, ShardId shard) {
    return String.join("_", "pgconcord", cluster, router, transaction, part.word(), shard.uid());
  }

  @Override
  public String toString() {
    return name(cluster, router, transaction, part, shard);
  }
}
