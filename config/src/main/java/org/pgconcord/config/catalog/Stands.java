package org.pgconcord.config.catalog;

import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.pgconcord.config.settings.ServerIdentity;
import org.pgconcord.config.value.ShardId;

/**
 * The servers that the indexes stand on: those with which their entries and rows were last
 * compared, or made. A server that has followed one of them may lack what that had acknowledged,
 * entries or rows, and may have rows again that were gone; so an index with entries or rows there
 * is not read until it has been compared (decision 0035).
 *
 * @param settled by shard, as the catalog has them; a shard that it does not know is not judged
 * @param changed the shards that have another server now, as far as this process has heard
 */
public record Stands(Map<ShardId, ServerIdentity> settled, Set<ShardId> changed) {
  /** Nothing is known of any server. */
  public static final Stands NONE = new Stands(Map.of(), Set.of());

  public Stands {
    settled = Map.copyOf(settled);
    changed = Set.copyOf(changed);
  }

  /** The same, with what the servers that are known now say. */
  public Stands seen(Map<ShardId, ServerIdentity> known) {
    Set<ShardId> others = new TreeSet<>(changed);
    settled.forEach(
        (shard, server) -> {
          ServerIdentity now = known.get(shard);
          if (now != null && !server.continues(now)) {
            others.add(shard);
          }
        });
    return new Stands(settled, others);
  }

  /** Whether none of these shards has another server. */
  public boolean hold(Collection<ShardId> shards) {
    return changed.isEmpty() || shards.stream().noneMatch(changed::contains);
  }
}
