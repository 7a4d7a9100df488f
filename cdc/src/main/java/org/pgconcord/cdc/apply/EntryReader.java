package org.pgconcord.cdc.apply;

import java.util.List;
import java.util.Optional;
import org.pgconcord.cdc.change.RowChange;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.gsi.EntryChange;
import org.pgconcord.gsi.EntryDeriver;
import org.pgconcord.gsi.LookupIndex;

/** What a stream's changes mean to one index, or to the part of it on one lookup shard. Pure. */
final class EntryReader {
  private final LookupIndex index;
  private final EntryDeriver deriver;
  private final Optional<ShardId> lookup;

  private EntryReader(LookupIndex index, Optional<ShardId> lookup) {
    this.index = index;
    this.deriver = new EntryDeriver(index);
    this.lookup = lookup;
  }

  /** Of all entries. */
  EntryReader(LookupIndex index) {
    this(index, Optional.empty());
  }

  /** Of those on one lookup shard. */
  static EntryReader at(LookupIndex index, ShardId lookup) {
    return new EntryReader(
        index, index.lookupShards().size() == 1 ? Optional.empty() : Optional.of(lookup));
  }

  boolean concerns(RowChange change) {
    return change.table().equals(index.gsi().owner());
  }

  /** Whether there is anything to do for the change; where one shard has all, cheaply. */
  boolean touches(RowChange change) {
    return concerns(change) && (lookup.isEmpty() || isTruncate(change) || !read(change).isEmpty());
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
      List<EntryChange> all = deriver.changes(change.before(), change.after());
      return lookup.isEmpty() ? all : all.stream().filter(this::isHere).toList();
    } catch (IllegalArgumentException e) {
      throw ErrorCode.CHANGE_UNREADABLE
          .because(
              "a change of " + change.table() + " does not tell what " + index.name() + " needs")
          .withDetail(String.valueOf(e.getMessage()))
          .withCause(e);
    }
  }

  private boolean isHere(EntryChange change) {
    return lookup.filter(index.lookupShard(change.entry().identity())::equals).isPresent();
  }
}
