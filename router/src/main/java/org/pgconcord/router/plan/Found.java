package org.pgconcord.router.plan;

import org.pgconcord.router.sql.StatementText;

/** Where the rows of a query that runs first are put in the statement that it stands in. */
public sealed interface Found permits FoundList, FoundTable, FoundValue {
  /** The query by itself. */
  String query(StatementText text);

  /** The statement with its rows. */
  String with(StatementText text, FoundValues rows);

  /** More than one row is an error. */
  boolean single();

  /** Rows may be repeated. */
  boolean repeats();

  /** Values become rows, whose types the rest of the statement sees. */
  boolean typed();
}
