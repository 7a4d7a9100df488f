package org.pgconcord.cdc.slot;

import java.util.OptionalLong;
import org.pgconcord.config.value.Lsn;

/**
 * How a slot is, at one moment.
 *
 * @param walStatus {@code reserved}, {@code extended}, {@code unreserved} or {@code lost}
 * @param lagBytes log written since the confirmed position
 * @param retainedBytes log that the server keeps for the slot
 * @param safeBytes log that may still be written before the slot is in danger; empty without limit
 */
public record SlotHealth(
    boolean active,
    Lsn confirmed,
    String walStatus,
    long lagBytes,
    long retainedBytes,
    OptionalLong safeBytes) {
  /** The log that the slot needs is gone: it can never be read again. */
  public boolean isLost() {
    return walStatus.equals("lost");
  }
}
