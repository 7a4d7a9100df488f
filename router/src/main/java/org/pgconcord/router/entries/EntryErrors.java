package org.pgconcord.router.entries;

import java.util.Collection;
import java.util.stream.Collectors;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.Tuple;
import org.pgconcord.gsi.Entry;
import org.pgconcord.gsi.IndexColumn;
import org.pgconcord.gsi.LookupIndex;

/** What a client is told when an entry cannot be had: its own value, never the hidden owner's. */
final class EntryErrors {
  private EntryErrors() {}

  static ConcordException duplicate(LookupIndex index, Entry entry) {
    return ErrorCode.GSI_DUPLICATE_KEY
        .because(violates(index.name()))
        .withConstraint(index.name().name())
        .withDetail(key(index, entry) + " already exists.");
  }

  /** Whether it is the duplicate of one of these indexes. */
  static boolean isDuplicate(Throwable failure, Collection<GsiName> indexes) {
    return failure instanceof ConcordException error
        && error.code() == ErrorCode.GSI_DUPLICATE_KEY
        && indexes.stream().anyMatch(index -> violates(index).equals(error.message()));
  }

  private static String violates(GsiName index) {
    return "duplicate key value violates unique global secondary index \"" + index + "\"";
  }

  static ConcordException moves(LookupIndex index, Entry entry) {
    return ErrorCode.GSI_MOVE_NEEDS_ATOMIC
        .because(
            "a DELETE and an INSERT of this transaction move a key of index \"%s\" to another"
                    .formatted(index.name())
                + " shard key")
        .withDetail(key(index, entry) + ".");
  }

  /** Two phases would not help: POST cannot have an entry that PRE or MAIN hold. */
  static ConcordException writtenAndMoved(LookupIndex index, Entry entry) {
    return ErrorCode.GSI_MOVE_NEEDS_ATOMIC
        .because(
            "this transaction has written a key of index \"%s\" before, and now gives it to another"
                    .formatted(index.name())
                + " shard key")
        .withDetail(key(index, entry) + ".")
        .withHint("Commit before the key changes its shard key.");
  }

  /** The text of the UPDATE did not show it, or it would have been refused before. */
  static ConcordException changed(LookupIndex index) {
    return ErrorCode.WRITE_DECLARED_COLUMN
        .because("the update changes a column of index " + index.name())
        .withDetail("A generated column of the index changes with those that are assigned.")
        .withHint("Set the index's gsi_mode to extended.");
  }

  static ConcordException heldTwice(LookupIndex index, Entry entry) {
    return ErrorCode.TX_ATOMIC_REFUSED
        .because(
            "a key of index \"%s\" was deleted, inserted and deleted again in one transaction"
                .formatted(index.name()))
        .withDetail(key(index, entry) + ".")
        .withHint("Commit before the key is deleted again.");
  }

  /** Worded like a foreign key; the client gave the values itself. */
  static ConcordException mappingMissing(MappingRows.Found mapping) {
    return ErrorCode.GSI_MAPPING_MISSING
        .because(
            "insert into table %s violates global secondary index \"%s\""
                .formatted(mapping.referrer().table(), mapping.index().name()))
        .withConstraint(mapping.index().name().name())
        .withDetail(
            "Key (%s)=(%s) has no mapping: table %s has no such row."
                .formatted(
                    String.join(", ", mapping.referrer().columns()),
                    mapping.key(),
                    mapping.index().gsi().owner()));
  }

  static ConcordException mappingHeld(LookupIndex index, Entry entry) {
    return ErrorCode.GSI_MAPPING_HELD
        .because(
            "a row that this transaction has written refers to the row of %s in index \"%s\""
                .formatted(index.gsi().owner(), index.name()))
        .withDetail(key(index, entry) + ".");
  }

  static ConcordException contendedKey(LookupIndex index, Tuple key) {
    return ErrorCode.GSI_CONTENDED
        .because("the entries of a key of index \"" + index.name() + "\" keep changing hands")
        .withDetail(
            "Key (%s)=(%s)."
                .formatted(
                    index.key().stream().map(IndexColumn::name).collect(Collectors.joining(", ")),
                    key));
  }

  static ConcordException contended(LookupIndex index, Entry entry) {
    return ErrorCode.GSI_CONTENDED
        .because("the entry of a key of index \"" + index.name() + "\" keeps changing hands")
        .withDetail(key(index, entry) + ".");
  }

  /** The client's own values, as PostgreSQL prints them; never the hidden owner's. */
  private static String key(LookupIndex index, Entry entry) {
    String columns = index.key().stream().map(IndexColumn::name).collect(Collectors.joining(", "));
    return "Key (%s)=(%s)".formatted(columns, index.keyOf(entry));
  }
}
