package org.pgconcord.config.replica;

import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.value.Lsn;

/**
 * What a server says of itself when it is to be read as a replica.
 *
 * @param inRecovery false for a primary, also for one that was a standby until it was promoted
 * @param replayed how far it has replayed; what its next snapshot shows includes all of that
 * @param systemIdentifier made by initdb, shared by a primary and its standbys
 * @param timeline the one that it replays, as far as it knows: after a promotion elsewhere it may
 *     still name the older one for a while
 */
public record ReplicaAnswer(boolean inRecovery, Lsn replayed, long systemIdentifier, int timeline) {
  /**
   * Needs no privilege, no operator and no search path. A standby writes down its timeline with its
   * restart points; who may see the WAL receiver (pg_monitor) sees it at once.
   */
  public static final String ASK =
      "SELECT pg_catalog.pg_is_in_recovery(), pg_catalog.pg_last_wal_replay_lsn(),"
          + " s.system_identifier, r.min_recovery_end_timeline, c.timeline_id,"
          + " (SELECT w.received_tli FROM pg_catalog.pg_stat_wal_receiver w)"
          + " FROM pg_catalog.pg_control_system() s, pg_catalog.pg_control_recovery() r,"
          + " pg_catalog.pg_control_checkpoint() c";

  private static final int REPLAYED = 1;
  private static final int SYSTEM = 2;
  private static final int TIMELINES = 3;

  /** The row that answers {@link #ASK}, as texts. */
  public static ReplicaAnswer of(List<@Nullable String> row) {
    String replayed = row.get(REPLAYED);
    int timeline =
        IntStream.range(TIMELINES, row.size())
            .mapToObj(row::get)
            .mapToInt(text -> text == null ? 0 : Integer.parseInt(text))
            .max()
            .orElse(0);
    return new ReplicaAnswer(
        "t".equals(row.get(0)),
        replayed == null ? Lsn.ZERO : Lsn.parse(replayed),
        Long.parseLong(String.valueOf(row.get(SYSTEM))),
        timeline);
  }
}
