package org.pgconcord.router.plan;

/**
 * One key of an order by which sorted answers of several shards can be merged here.
 *
 * @param text it is compared by its bytes: the text of a C-like collation
 */
public record SortKey(boolean text, boolean descending, boolean nullsFirst) {

  /** What stands behind its expression in an ORDER BY. */
  String written() {
    return (descending ? " DESC" : " ASC") + (nullsFirst ? " NULLS FIRST" : " NULLS LAST");
  }
}
