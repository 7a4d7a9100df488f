package org.pgconcord.daemon.build;

import org.pgconcord.config.catalog.GsiStep;
import org.pgconcord.config.catalog.RoutingState.GsiStatus;

/** The catalog's part in a life cycle: the index's status, and steps by compare-and-set. */
public interface StepTaker {
  GsiStatus status();

  /** Steps the catalog and returns when routers here have the new state. */
  GsiStatus take(GsiStep step);

  /**
   * What an upward step rests on.
   *
   * @param report the stored report's id
   * @param revision the catalog's when the report was made
   */
  record Evidence(long report, long revision) {
    GsiStep bind(GsiStep step) {
      return step.boundTo(report, revision);
    }
  }
}
