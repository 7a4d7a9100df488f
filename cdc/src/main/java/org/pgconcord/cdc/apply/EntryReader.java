package org.pgconcord.cdc.apply;

import java.util.List;
import org.pgconcord.cdc.change.RowChange;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.gsi.EntryChange;
import org.pgconcord.gsi.EntryDeriver;
import org.pgconcord.gsi.LookupIndex;

/** What a stream's changes mean to one index. Pure. */
final class EntryReader {
  private final LookupIndex index;
  private final EntryDeriver deriver;

  EntryReader(LookupIndex index) {
    this.index = index;
    this.deriver = new EntryDeriver(index);
  }

  boolean concerns(RowChange change) {
    return change.table().equals(index.gsi().owner());
  }

  boolean isTruncate(RowChange change) {
    return change.kind() == RowChange.Kind.TRUNCATE;
  }

  /**
   * The entry changes of a row change, removal first.
   *
   * @throws org.pgconcord.config.error.ConcordException {@code cdc/change-unreadable} when a column
   *     that the index needs is not in the change: renamed, of another type, or cut from the image
   */
  List<EntryChange> read(RowChange change) {
    try {
      return deriver.changes(change.before(), change.after());
    } catch (IllegalArgumentException e) {
      throw ErrorCode.CHANGE_UNREADABLE
          .because(
              "a change of " + change.table() + " does not tell what " + index.name() + " needs")
          .withDetail(String.valueOf(e.getMessage()))
          .withCause(e);
    }
  }
}
