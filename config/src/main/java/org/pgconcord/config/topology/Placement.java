package org.pgconcord.config.topology;

import java.util.List;
import java.util.Optional;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.ShardId;

/** Where the rows of one table live: a closed set, so that no pass over it forgets a kind. */
public sealed interface Placement {

  /** Rows are spread over the group's shards by the index. */
  record Sharded(ShardGroup group, ShardIndex index) implements Placement {
    @Override
    public <R> R match(Cases<R> cases) {
      return cases.sharded(this);
    }
  }

  /** All rows are on one shard. {@code declared} is false for a table that no document names. */
  record Unsharded(ShardGroup group, ShardId shard, boolean declared) implements Placement {
    @Override
    public <R> R match(Cases<R> cases) {
      return cases.unsharded(this);
    }
  }

  /** A full copy on each of the shards (distinct, sorted). */
  record Reference(List<ShardId> shards) implements Placement {
    public Reference {
      shards = List.copyOf(shards);
    }

    @Override
    public <R> R match(Cases<R> cases) {
      return cases.reference(this);
    }
  }

  /**
   * The lookup table of a GSI; clients may not name it.
   *
   * @param shards that hold entries
   * @param sharding how entries are spread over them; empty when one shard holds all
   */
  record Lookup(GsiName gsi, List<ShardId> shards, Optional<Sharded> sharding)
      implements Placement {
    public Lookup {
      shards = List.copyOf(shards);
    }

    /** All entries on one shard. */
    public static Lookup on(GsiName gsi, ShardId shard) {
      return new Lookup(gsi, List.of(shard), Optional.empty());
    }

    /** Each entry on the shard of its own key. */
    public static Lookup over(GsiName gsi, Sharded sharding) {
      return new Lookup(gsi, sharding.group().shards(), Optional.of(sharding));
    }

    @Override
    public <R> R match(Cases<R> cases) {
      return cases.lookup(this);
    }
  }

  /** One answer per kind. */
  interface Cases<R> {
    R sharded(Sharded placement);

    R unsharded(Unsharded placement);

    R reference(Reference placement);

    R lookup(Lookup placement);
  }

  <R> R match(Cases<R> cases);
}
