/**
 * Whole systems under faults: a daemon and its shards as processes, routers whose links go through
 * a fault network, and the promises checked after each fault. Entry types: {@link
 * org.pgconcord.daemon.faults.CutPointsIT} for one fault at each message of one write.
 */
@org.jspecify.annotations.NullMarked
package org.pgconcord.daemon.faults;
