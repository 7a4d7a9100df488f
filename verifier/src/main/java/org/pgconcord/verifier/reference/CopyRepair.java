package org.pgconcord.verifier.reference;

import java.util.List;

/**
 * What a repair changed in one copy, or would change.
 *
 * @param source true for the copy that the others are made equal to
 * @param inserted rows of the source that it lacked
 * @param updated rows with the source's key and other contents
 * @param deleted rows that the source does not have
 * @param samples some of them; {@code missing} was inserted, {@code different} updated, {@code
 *     surplus} deleted
 */
public record CopyRepair(
    String shard,
    boolean source,
    long inserted,
    long updated,
    long deleted,
    List<RowDifference> samples) {
  public CopyRepair {
    samples = List.copyOf(samples);
  }

  /** It was, or is, equal to the source. */
  public boolean unchanged() {
    return inserted + updated + deleted == 0;
  }
}
