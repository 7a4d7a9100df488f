package org.pgconcord.backfill.export;

/**
 * A part of one table's heap: the blocks {@code [from, to)}.
 *
 * @param relation the table's name as SQL takes it; a partition where the owner is partitioned
 * @param file {@code pg_relation_filenode}: a rewritten table has other blocks
 * @param to -1 for no end, in the last part: blocks may be added at any time
 */
public record BlockRange(String relation, long file, long from, long to) {
  /** The condition on {@code ctid}, which PostgreSQL answers by a TID range scan. */
  String condition() {
    String start = "ctid >= '(" + from + ",0)'";
    return to < 0 ? start : start + " AND ctid < '(" + to + ",0)'";
  }
}
