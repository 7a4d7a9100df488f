package org.pgconcord.router.plan;

import java.util.List;

/** A plan in words: the rows of EXPLAIN (ROUTER). */
public final class PlanText {
  private PlanText() {}

  /** One row per line, in one column named {@code QUERY PLAN}. */
  public static List<String> render(Planned planned, Parameters parameters) {
    return List.of(planned.plan().getClass().getSimpleName());
  }
}
