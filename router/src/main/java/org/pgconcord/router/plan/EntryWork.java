package org.pgconcord.router.plan;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.topology.Gsi;
import org.pgconcord.config.topology.Referrer;
import org.pgconcord.router.sql.SqlEdit;
import org.pgconcord.router.sql.StatementText;

/**
 * What a write on an owner of maintained indexes has to return so that entries can be derived from
 * the rows as they were stored or deleted, and on a referrer so that the mappings to which its rows
 * point can be checked.
 *
 * @param gsis the maintained indexes of the table
 * @param references the maintained indexes of other tables to which rows that are stored must point
 * @param columns the owner's columns added behind the client's own RETURNING list, in this order:
 *     keys, shard key and primary key of {@code gsis} and the columns of {@code references}, each
 *     once. The client's columns are all fields of the row description but the last {@code
 *     columns.size()}
 * @param clientReturns true when the client asked for RETURNING itself; else it gets no rows
 * @param edit adds {@code columns} behind the statement
 * @param old present for an UPDATE: how the same columns are read of the rows as they are before
 */
public record EntryWork(
    List<Gsi> gsis,
    List<Referrer> references,
    List<String> columns,
    boolean clientReturns,
    SqlEdit edit,
    Optional<OldRows> old) {
  /** One transaction keeps the entries of no more rows than this. */
  public static final int ROWS_MOST = 100_000;

  /** Nothing is kept and nothing added. */
  static final EntryWork NONE =
      new EntryWork(List.of(), List.of(), List.of(), false, new SqlEdit(0, ""), Optional.empty());

  public EntryWork {
    gsis = List.copyOf(gsis);
    references = List.copyOf(references);
    columns = List.copyOf(columns);
  }

  /** The system column that is behind {@code columns} where not every row changes entries. */
  static final String UPDATED_ROWS = "xmax";

  /**
   * Whether a returned row is a new one, whose entries are to be added: one that ON CONFLICT DO
   * UPDATE has updated has them already.
   *
   * @param added the values of {@code columns} in it
   */
  public boolean changesEntries(List<@Nullable String> added) {
    int last = columns.size() - 1;
    return !columns.get(last).equals(UPDATED_ROWS) || "t".equals(added.get(last));
  }

  /** The same, with the rows before. */
  EntryWork of(OldRows rows) {
    return new EntryWork(gsis, references, columns, clientReturns, edit, Optional.of(rows));
  }

  /** The statement to send in place of the client's. */
  public String sql(StatementText text) {
    return SqlEdit.apply(text, List.of(edit));
  }
}
