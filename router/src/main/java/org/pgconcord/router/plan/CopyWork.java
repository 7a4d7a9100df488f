package org.pgconcord.router.plan;

import java.util.List;
import org.pgconcord.router.sql.SqlEdit;
import org.pgconcord.router.sql.StatementText;

/**
 * How a write goes from the leading copy to the others: the leader returns, behind the client's own
 * columns, the values of each changed row and then its image; each other copy gets all rows' values
 * as one array of texts per column and returns the images of what it changed.
 *
 * @param values how many values there are of a row
 * @param clientReturns true when the client asked for RETURNING itself; else it gets no rows
 * @param edits add values and image to the client's statement
 * @param change the statement for the other copies, its parameters the arrays
 */
public record CopyWork(int values, boolean clientReturns, List<SqlEdit> edits, String change) {
  public CopyWork {
    edits = List.copyOf(edits);
  }

  /** The statement for the leader in place of the client's. */
  public String sql(StatementText text) {
    return SqlEdit.apply(text, edits);
  }

  /** How many columns the leader returns behind the client's. */
  public int added() {
    return values + 1;
  }
}
