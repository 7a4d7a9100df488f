package org.pgconcord.router.entries;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.Tuple;
import org.pgconcord.gsi.Derivation;
import org.pgconcord.gsi.Entry;
import org.pgconcord.gsi.EntryDeriver;
import org.pgconcord.gsi.LookupIndex;

/**
 * From the columns that a write returned behind the client's own to the entries of its rows. The
 * values are the stored ones, so that defaults, triggers, casts and padding are already in them.
 */
public final class ReturnedRows {
  /** One index and where its columns are among the added ones. */
  private record Source(LookupIndex index, EntryDeriver deriver, List<Integer> places) {}

  /** An entry of one of the rows; equal to another when index and entry are. */
  public record Found(LookupIndex index, Entry entry) {
    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Found found
          && found.index.name().equals(index.name())
          && found.entry.equals(entry);
    }

    @Override
    public int hashCode() {
      return 31 * index.name().hashCode() + entry.hashCode();
    }
  }

  private final ShardId shard;
  private final List<Source> sources = new ArrayList<>();
  private final List<Found> found = new ArrayList<>();

  /**
   * @param shard where the rows are
   * @param columns the added columns in order
   */
  public ReturnedRows(ShardId shard, List<LookupIndex> indexes, List<String> columns) {
    this.shard = shard;
    for (LookupIndex index : indexes) {
      sources.add(
          new Source(
              index,
              new EntryDeriver(index),
              index.columns().stream().map(c -> columns.indexOf(c.name())).toList()));
    }
  }

  /**
   * Takes one row's added columns as text.
   *
   * @throws org.pgconcord.config.error.ConcordException for a NULL that an index does not allow,
   *     and for a shard key that a trigger has changed to one of another shard
   */
  public void add(List<@Nullable String> added) {
    for (Source source : sources) {
      List<@Nullable String> row = new ArrayList<>();
      source.places().forEach(place -> row.add(added.get(place)));
      requireHere(source.index(), row);
      Derivation derivation = source.deriver().derive(row);
      if (derivation instanceof Derivation.Owns owns) {
        found.add(new Found(source.index(), owns.entry()));
      } else if (derivation instanceof Derivation.NullViolation violation) {
        throw ErrorCode.GSI_NULL_KEY.because(
            "null value in column \"%s\" of table %s violates global secondary index \"%s\""
                .formatted(
                    violation.column(), source.index().owner().name(), source.index().name()));
      }
    }
  }

  /**
   * Takes a row as it was before a change: one that violates an index owns no entry of it.
   *
   * @param old its columns as text
   */
  public void addOld(List<@Nullable String> old) {
    for (Source source : sources) {
      List<@Nullable String> row = new ArrayList<>();
      source.places().forEach(place -> row.add(old.get(place)));
      source
          .deriver()
          .derive(row)
          .owned()
          .ifPresent(entry -> found.add(new Found(source.index(), entry)));
    }
  }

  private void requireHere(LookupIndex index, List<@Nullable String> row) {
    int from = index.key().size();
    List<@Nullable String> shardKey = row.subList(from, from + index.shardKey().size());
    if (!shardKey.contains(null)
        && !index.shardOf(new Tuple(List.copyOf(shardKey))).equals(shard)) {
      throw ErrorCode.WRITE_SHARD_KEY_COLUMN.because(
          "a trigger of %s has changed its shard key to one of another shard"
              .formatted(index.owner().name()));
    }
  }

  /** The entries so far. */
  public List<Found> found() {
    return found;
  }
}
