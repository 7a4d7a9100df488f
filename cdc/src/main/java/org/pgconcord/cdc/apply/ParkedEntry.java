package org.pgconcord.cdc.apply;

import java.time.Instant;
import org.pgconcord.config.value.Lsn;
import org.pgconcord.config.value.Tuple;
import org.pgconcord.gsi.Entry;

/**
 * An entry that waits for another one to go.
 *
 * @param holder of the entry that was in the way when this one was parked; no values when it waits
 *     for a lock instead
 * @param holderFence the holder's shard's log position, taken after the conflict was seen
 * @param ownFence this entry's own shard's log position, taken after the conflict was seen
 * @param duplicate true once both streams have passed their fences and the holder still stands: two
 *     rows own the key
 */
public record ParkedEntry(
    Entry entry, Tuple holder, Lsn holderFence, Lsn ownFence, boolean duplicate, Instant since) {}
