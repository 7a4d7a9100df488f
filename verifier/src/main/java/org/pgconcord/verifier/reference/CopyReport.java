package org.pgconcord.verifier.reference;

import java.util.List;

/**
 * One copy, held against the leading one.
 *
 * @param rows in this copy
 * @param missing rows of the leading copy that this one lacks
 * @param surplus rows that only this copy has
 * @param different rows with the same key and other contents
 * @param inFlight keys that kept changing while they were looked at; they do not count
 */
public record CopyReport(
    String shard,
    long rows,
    long missing,
    long surplus,
    long different,
    long inFlight,
    List<RowDifference> samples) {
  public CopyReport {
    samples = List.copyOf(samples);
  }

  public boolean equalsLeader() {
    return missing + surplus + different == 0;
  }
}
