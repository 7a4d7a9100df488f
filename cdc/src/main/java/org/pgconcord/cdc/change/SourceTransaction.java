package org.pgconcord.cdc.change;

import java.time.Instant;
import java.util.List;
import org.pgconcord.config.value.Lsn;

/**
 * One committed transaction of an owner shard, whole.
 *
 * @param xid the 32-bit top-level transaction id; widened where a snapshot is at hand
 * @param commitLsn the position just after the commit record. Unlike a row's own position it grows
 *     from one delivered transaction to the next, so it alone orders, skips and acknowledges. A
 *     slot's consistent point is a record boundary: the slot delivers exactly the transactions
 *     whose commitLsn is greater
 */
public record SourceTransaction(long xid, Lsn commitLsn, Instant commitTime, RowChanges changes) {
  public SourceTransaction(long xid, Lsn commitLsn, Instant commitTime, List<RowChange> changes) {
    this(xid, commitLsn, commitTime, RowChanges.of(changes));
  }
}
