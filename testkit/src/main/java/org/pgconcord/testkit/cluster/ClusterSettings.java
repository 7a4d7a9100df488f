package org.pgconcord.testkit.cluster;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.pgconcord.config.value.ShardId;

/**
 * What a cluster of embedded shards is made of.
 *
 * @param shards at least one
 * @param directory claimed and removed at the end; empty for a new one in the temporary folder
 * @param durable true makes the shards flush to disk like a server that must survive power loss
 * @param unprivileged empty to take the first way that works here
 * @param binaries jars with the PostgreSQL of single shards; the others run the one on the class
 *     path
 */
public record ClusterSettings(
    List<ShardId> shards,
    Optional<Path> directory,
    Authentication authentication,
    boolean durable,
    Optional<Unprivileged> unprivileged,
    Map<ShardId, Path> binaries) {
  /** As many as the alphabet names. */
  private static final int MAX_SHARDS = 26;

  public ClusterSettings {
    shards = List.copyOf(shards);
    binaries = Map.copyOf(binaries);
    if (shards.isEmpty()) {
      throw new IllegalArgumentException("a cluster needs a shard");
    }
  }

  /** Shards {@code shard-a}, {@code shard-b}, ... under trust, in the temporary folder. */
  public static ClusterSettings of(int shards) {
    if (shards < 1 || shards > MAX_SHARDS) {
      throw new IllegalArgumentException("1 to " + MAX_SHARDS + " shards, not " + shards);
    }
    List<ShardId> ids =
        IntStream.range(0, shards).mapToObj(i -> new ShardId("shard-" + (char) ('a' + i))).toList();
    return new ClusterSettings(
        ids, Optional.empty(), Authentication.TRUST, false, Optional.empty(), Map.of());
  }

  /** Of this shard alone. */
  ClusterSettings only(ShardId shard) {
    return new ClusterSettings(
        List.of(shard), directory, authentication, durable, unprivileged, binaries);
  }

  public ClusterSettings withDirectory(Path path) {
    return new ClusterSettings(
        shards, Optional.of(path), authentication, durable, unprivileged, binaries);
  }

  public ClusterSettings withAuthentication(Authentication way) {
    return new ClusterSettings(shards, directory, way, durable, unprivileged, binaries);
  }

  public ClusterSettings withUnprivileged(Unprivileged way) {
    return new ClusterSettings(
        shards, directory, authentication, durable, Optional.of(way), binaries);
  }

  /** With the PostgreSQL in {@code jar} on every shard. */
  public ClusterSettings withPostgres(Path jar) {
    ClusterSettings all = this;
    for (ShardId shard : shards) {
      all = all.withPostgres(shard, jar);
    }
    return all;
  }

  /** With the PostgreSQL in {@code jar}, one of the embedded binaries' library, on one shard. */
  public ClusterSettings withPostgres(ShardId shard, Path jar) {
    Map<ShardId, Path> all = new HashMap<>(binaries);
    all.put(shard, jar);
    return new ClusterSettings(shards, directory, authentication, durable, unprivileged, all);
  }
}
