package org.pgconcord.cdc.apply;

import org.pgconcord.cdc.change.StreamName;
import org.pgconcord.gsi.LookupIndex;
import org.pgconcord.gsi.SettlementRunner;

/**
 * What one stream needs to serve one index.
 *
 * @param sessions the tail thread's own
 * @param source opens further sessions for settlements
 */
record TargetContext(
    StreamName stream,
    LookupIndex index,
    ShardSessions sessions,
    SettlementRunner.Sessions source,
    StreamPositions positions,
    DuplicateListener duplicates,
    AppliedRows rows) {}
