package org.pgconcord.router.plan;

import java.util.List;
import org.pgconcord.config.catalog.RoutingState;

/**
 * The facts of a session that a plan depends on; part of the plan cache's key.
 *
 * @param database the logical database
 * @param searchPath the session's {@code search_path} as {@link
 *     org.pgconcord.router.sql.SearchPath#parse} reads it, {@code "$user"} still in it
 * @param role the current role, which {@code "$user"} stands for
 * @param fixedSnapshot true in a REPEATABLE READ or SERIALIZABLE transaction: a lookup there could
 *     be answered from another moment than the owner row, so that global secondary indexes are not
 *     read
 * @param replica reads go to replicas, and nothing is written
 * @param covering entries of covering indexes may answer
 * @param localFunctions the user says that functions read and write rows of the statement's own
 *     shard keys alone
 * @param pinned the shard that reads are pinned to; empty for none
 */
public record PlanContext(
    RoutingState state,
    String database,
    List<String> searchPath,
    String role,
    boolean fixedSnapshot,
    boolean replica,
    boolean covering,
    boolean localFunctions,
    String pinned) {
  public PlanContext {
    searchPath = List.copyOf(searchPath);
  }

  /** A session on primaries that takes covering reads and pins nothing. */
  public PlanContext(
      RoutingState state,
      String database,
      List<String> searchPath,
      String role,
      boolean fixedSnapshot) {
    this(state, database, searchPath, role, fixedSnapshot, false, true, false, "");
  }

  /** The same session on replicas. */
  PlanContext onReplicas() {
    return new PlanContext(
        state, database, searchPath, role, fixedSnapshot, true, covering, localFunctions, pinned);
  }

  /** The same session with its reads pinned to this shard; empty for none. */
  PlanContext withPinned(String shard) {
    return new PlanContext(
        state, database, searchPath, role, fixedSnapshot, replica, covering, localFunctions, shard);
  }
}
