package org.pgconcord.cdc.apply;

import org.pgconcord.cdc.change.StreamName;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.gsi.LookupIndex;
import org.pgconcord.gsi.SettlementRunner;

/**
 * What one stream needs to serve one target: the entries of one index that are on one lookup shard.
 *
 * @param lookup the target's lookup shard
 * @param sessions the tail thread's own
 * @param source opens further sessions for settlements
 */
record TargetContext(
    StreamName stream,
    LookupIndex index,
    ShardId lookup,
    ShardSessions sessions,
    SettlementRunner.Sessions source,
    StreamPositions positions,
    DuplicateListener duplicates,
    AppliedRows rows) {}
