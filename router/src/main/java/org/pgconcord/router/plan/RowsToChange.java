package org.pgconcord.router.plan;

import org.pgconcord.router.sql.StatementText;

/** How a statement names rows of its target by their places ({@code tableoid} and {@code ctid}). */
public interface RowsToChange {
  /** How many columns a lock returns in front of the others: tableoid and ctid. */
  int PLACE = 2;

  /** A system column of the target. */
  String column(String name);

  /**
   * Which of the rows at these places are there still: those that were left alone.
   *
   * @param rows a condition that names them
   */
  String left(StatementText text, String rows);
}
