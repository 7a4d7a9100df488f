package org.pgconcord.router.plan;

import java.util.List;
import org.pgconcord.config.topology.Gsi;
import org.pgconcord.router.sql.SqlEdit;
import org.pgconcord.router.sql.StatementText;

/**
 * What a write on an owner of maintained indexes has to return so that entries can be derived from
 * the rows as they were stored or deleted.
 *
 * @param gsis the maintained indexes of the table
 * @param columns the owner's columns added behind the client's own RETURNING list, in this order:
 *     keys, shard key and primary key of {@code gsis}, each once. The client's columns are all
 *     fields of the row description but the last {@code columns.size()}
 * @param clientReturns true when the client asked for RETURNING itself; else it gets no rows
 * @param edits add {@code columns} to the statement
 */
public record EntryWork(
    List<Gsi> gsis, List<String> columns, boolean clientReturns, List<SqlEdit> edits) {
  public EntryWork {
    gsis = List.copyOf(gsis);
    columns = List.copyOf(columns);
    edits = List.copyOf(edits);
  }

  /** The statement to send in place of the client's. */
  public String sql(StatementText text) {
    return SqlEdit.apply(text, edits);
  }
}
