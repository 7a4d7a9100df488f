package org.pgconcord.router.plan;

import java.util.List;

/** How a plan is written. */
public enum PlanFormat {
  /** A line each. */
  TEXT,
  /** One document, as PostgreSQL writes its plans. */
  JSON,
  /** One document; its words are in JSON's notation, as PostgreSQL's are. */
  YAML;

  private static final int JSON_OID = 114;
  private static final int TEXT_OID = 25;
  private static final String ROOT = "Router Plan";

  /** The rows of the answer. */
  public List<String> rows(PlanOutline plan, boolean verbose) {
    return switch (this) {
      case TEXT -> plan.lines(verbose);
      case JSON -> List.of(JsonPlan.write(ROOT, plan, verbose));
      case YAML -> List.of(YamlPlan.write(ROOT, plan, verbose));
    };
  }

  /** The type of the answer's column. */
  public int typeOid() {
    return this == JSON ? JSON_OID : TEXT_OID;
  }
}
