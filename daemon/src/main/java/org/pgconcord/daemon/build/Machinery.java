package org.pgconcord.daemon.build;

import org.pgconcord.config.catalog.RoutingState.GsiStatus;
import org.pgconcord.state.lifecycle.GsiAction;

/**
 * What carries out the actions of one index's life cycle, but for the publication, which is the
 * driver's own. Real: {@code IndexMachinery} over slots, backfill, tails and routers. Each action
 * may be repeated: after a crash the ones before the publication run again.
 */
public interface Machinery {
  /**
   * Does the action and returns when it is done.
   *
   * @param status the index's status when the action begins
   */
  void perform(GsiAction action, GsiStatus status) throws Exception;
}
