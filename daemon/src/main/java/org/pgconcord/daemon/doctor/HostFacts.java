package org.pgconcord.daemon.doctor;

import org.pgconcord.config.settings.ServerIdentity;
import org.pgconcord.config.settings.ShardAddress;
import org.pgconcord.config.value.ShardId;

/**
 * What one of a shard's other servers says, beside its primary.
 *
 * @param replica the configuration names it for reads; else it may become the primary
 */
record HostFacts(ShardId shard, ShardAddress address, boolean replica, Seen seen) {

  /** What was seen there. */
  sealed interface Seen {
    /** Nobody answers, or lets the service role in. */
    record Nothing(String why) implements Seen {}

    /**
     * A server.
     *
     * @param isPrimary the very server that answers as the shard's primary
     * @param sameSystem it has the primary's system identifier
     * @param standby it is in recovery
     * @param behindBytes how much of the primary's log it has not replayed
     * @param syncsSlots logical slots of the primary are kept here too
     */
    record Server(
        boolean isPrimary,
        boolean sameSystem,
        boolean standby,
        ServerIdentity server,
        long behindBytes,
        boolean syncsSlots)
        implements Seen {}
  }

  String where() {
    return shard + " at " + address;
  }
}
