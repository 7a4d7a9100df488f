package org.pgconcord.config.catalog;

import java.util.OptionalLong;
import org.pgconcord.config.value.GsiName;

/**
 * A change of an index's state, taken only if the state and the epoch are still those expected.
 *
 * @param expectedEpoch the new epoch is one more
 * @param expectedRevision when present, the catalog must still be at it: nothing at all has changed
 *     since the evidence for this step was gathered
 * @param report the report that the step rests on
 */
public record GsiStep(
    GsiName gsi,
    GsiState from,
    GsiState to,
    long expectedEpoch,
    String reason,
    OptionalLong expectedRevision,
    OptionalLong report) {

  /** A step that rests on the index's state alone. */
  public static GsiStep of(
      GsiName gsi, GsiState from, GsiState to, long expectedEpoch, String reason) {
    return new GsiStep(
        gsi, from, to, expectedEpoch, reason, OptionalLong.empty(), OptionalLong.empty());
  }

  /** A step bound to a report and to the revision that the report was made under. */
  public GsiStep boundTo(long reportId, long revision) {
    return new GsiStep(
        gsi, from, to, expectedEpoch, reason, OptionalLong.of(revision), OptionalLong.of(reportId));
  }
}
