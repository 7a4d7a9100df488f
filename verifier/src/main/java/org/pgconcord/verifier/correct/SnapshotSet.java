package org.pgconcord.verifier.correct;

import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import org.pgconcord.config.catalog.Progress;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.Lsn;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.gsi.LookupIndex;
import org.pgconcord.gsi.SettlementRunner;
import org.pgconcord.verifier.sum.Sums;

/**
 * Snapshots of all owner shards and of all lookup shards, taken side by side within moments. What
 * differs between them because of time alone is then little. Used by one thread, closed by it.
 */
public final class SnapshotSet implements AutoCloseable {
  private final Map<ShardId, ServerSnapshot> owners;
  private final Map<ShardId, ServerSnapshot> lookups;
  private final List<Connection> sessions;

  private SnapshotSet(
      List<ServerSnapshot> owners, List<ServerSnapshot> lookups, List<Connection> sessions) {
    this.owners = byShard(owners);
    this.lookups = byShard(lookups);
    this.sessions = sessions;
  }

  private static Map<ShardId, ServerSnapshot> byShard(List<ServerSnapshot> taken) {
    Map<ShardId, ServerSnapshot> byShard = new TreeMap<>();
    taken.forEach(snapshot -> byShard.put(snapshot.shard(), snapshot));
    return byShard;
  }

  /** Opens all sessions first, so that the snapshots themselves are close together. */
  public static SnapshotSet take(
      LookupIndex index, SettlementRunner.Sessions source, ExecutorService threads)
      throws SQLException, InterruptedException {
    List<Connection> sessions = Collections.synchronizedList(new ArrayList<>());
    try {
      List<ShardId> shards = new ArrayList<>(index.ownerShards());
      shards.addAll(index.lookupShards());
      List<Connection> opened =
          Together.run(
              threads,
              shards.stream()
                  .map(
                      shard ->
                          (Callable<Connection>)
                              () -> {
                                Connection session = source.open(shard);
                                sessions.add(session);
                                return session;
                              })
                  .toList());
      List<Callable<ServerSnapshot>> takes = new ArrayList<>();
      for (int i = 0; i < shards.size(); i++) {
        ShardId shard = shards.get(i);
        Connection session = opened.get(i);
        takes.add(() -> ServerSnapshot.take(shard, session));
      }
      List<ServerSnapshot> taken = Together.run(threads, takes);
      int owners = index.ownerShards().size();
      return new SnapshotSet(
          taken.subList(0, owners), taken.subList(owners, taken.size()), sessions);
    } catch (SQLException | InterruptedException | RuntimeException e) {
      closeAll(sessions);
      throw e;
    }
  }

  public Map<ShardId, ServerSnapshot> owners() {
    return owners;
  }

  public Map<ShardId, ServerSnapshot> lookups() {
    return lookups;
  }

  /** Any of them, for what every server computes alike. */
  public ServerSnapshot anyLookup() {
    return lookups.values().iterator().next();
  }

  /**
   * Sums for these servers: hashed by them when all are of one major version, else here, since
   * PostgreSQL does not promise that its hash functions stay the same.
   */
  public Sums sums(SecureRandom random) throws SQLException {
    Set<Integer> versions = new HashSet<>();
    for (Connection session : sessions) {
      versions.add(session.getMetaData().getDatabaseMajorVersion());
    }
    return versions.size() == 1 ? Sums.byServers(random) : Sums.here(random);
  }

  /** Lookup shard -> how far each owner's stream is applied in its snapshot. */
  public Map<ShardId, Map<ShardId, Lsn>> applied(GsiName gsi) throws SQLException {
    Map<ShardId, Map<ShardId, Lsn>> applied = new TreeMap<>();
    for (ServerSnapshot lookup : lookups.values()) {
      applied.put(lookup.shard(), applied(gsi, lookup));
    }
    return applied;
  }

  private Map<ShardId, Lsn> applied(GsiName gsi, ServerSnapshot lookup) throws SQLException {
    Map<ShardId, Lsn> applied = new TreeMap<>();
    for (ShardId shard : owners.keySet()) {
      Lsn position =
          Progress.read(lookup.transaction(), shard.uid(), gsi.toString())
              .map(Progress::commitLsn)
              .orElseThrow(
                  () ->
                      ErrorCode.VERIFY_FAILED.because(
                          "the lookup table of %s has no progress of shard %s on %s"
                              .formatted(gsi, shard, lookup.shard())));
      applied.put(shard, position);
    }
    return applied;
  }

  @Override
  public void close() {
    closeAll(sessions);
  }

  private static void closeAll(List<Connection> sessions) {
    for (Connection session : List.copyOf(sessions)) {
      try {
        session.close();
      } catch (SQLException e) {
        // It is gone already, and its snapshot with it.
      }
    }
  }
}
