package org.pgconcord.cdc.apply;

import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.ShardId;

/** An owner shard was emptied under a maintained index: its entries must be built again. */
final class OwnerTruncated extends RuntimeException {
  OwnerTruncated(GsiName gsi, ShardId shard) {
    super("the owner table of " + gsi + " was truncated on " + shard);
  }
}
