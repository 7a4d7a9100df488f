package org.pgconcord.config.atomic;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.pgconcord.config.value.ShardId;

/**
 * What was prepared on the shards that answered, at one look.
 *
 * @param shards shard -> its prepared transactions by gid; a shard that did not answer is absent
 */
public record Sight(Map<ShardId, Map<String, PreparedTransaction>> shards) {
  public Sight {
    shards = Map.copyOf(shards);
  }

  /** Of the lists that the shards gave. */
  public static Sight of(Map<ShardId, List<PreparedTransaction>> lists) {
    Map<ShardId, Map<String, PreparedTransaction>> shards = new TreeMap<>();
    lists.forEach(
        (shard, list) -> {
          Map<String, PreparedTransaction> byGid = new LinkedHashMap<>();
          list.forEach(prepared -> byGid.put(prepared.gid().toString(), prepared));
          shards.put(shard, byGid);
        });
    return new Sight(shards);
  }

  boolean answered(ShardId shard) {
    return shards.containsKey(shard);
  }

  /** Empty when it is not there, or its shard did not answer. */
  public Optional<PreparedTransaction> prepared(Participant participant) {
    Map<String, PreparedTransaction> there = shards.get(participant.shard());
    return there == null
        ? Optional.empty()
        : Optional.ofNullable(there.get(participant.gid().toString()));
  }

  /** What became of a participant. */
  public State state(Participant participant, Optional<Decision> decision) {
    if (!answered(participant.shard())) {
      return State.UNREACHABLE;
    }
    if (prepared(participant).isPresent()) {
      return State.PREPARED;
    }
    return decision
        .map(decided -> decided == Decision.COMMIT ? State.COMMITTED : State.ROLLED_BACK)
        .orElse(State.NOT_PREPARED);
  }

  /** What a person is told of a participant. */
  public enum State {
    PREPARED,
    COMMITTED,
    ROLLED_BACK,
    NOT_PREPARED,
    UNREACHABLE
  }

  /** Everything that was seen. */
  public List<PreparedTransaction> all() {
    return shards.values().stream().map(Map::values).flatMap(Collection::stream).toList();
  }
}
