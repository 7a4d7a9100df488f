package org.pgconcord.daemon.build;

import java.sql.SQLException;
import java.util.HashSet;
import java.util.Set;
import org.pgconcord.cdc.change.StreamName;
import org.pgconcord.cdc.slot.HeldSnapshot;
import org.pgconcord.cdc.slot.Slots;
import org.pgconcord.config.value.GsiName;

/**
 * Snapshots for builds of one logical database, whose indexes share one slot on each owner shard
 * (docs/decisions/0005). The first build makes the slot and takes its snapshot; a later one takes a
 * snapshot beside it while the slot serves the others, and comes in from that snapshot's consistent
 * point. Before it asks for one it has reserved the stream, so that nobody acknowledges the slot
 * past that point.
 *
 * <p>Between its first snapshot and the publication of its state only this process knows that an
 * index needs the slot; two builds that begin together would drop each other's.
 */
public final class SharedSlots {
  private final Slots slots;
  private final Set<GsiName> building = new HashSet<>();

  public SharedSlots(Slots slots) {
    this.slots = slots;
  }

  /**
   * A snapshot of the stream's shard; all that commits after it will be in the stream's slot.
   *
   * @param shared another index needs the slot by its published state
   */
  synchronized HeldSnapshot snapshot(GsiName gsi, StreamName stream, boolean shared)
      throws SQLException {
    boolean others = shared || building.stream().anyMatch(other -> !other.equals(gsi));
    boolean healthy = slots.health(stream).filter(health -> !health.isLost()).isPresent();
    HeldSnapshot snapshot = others && healthy ? slots.beside(stream) : slots.create(stream);
    building.add(gsi);
    return snapshot;
  }

  /** The index's state says from here on whether it needs the slots. */
  synchronized void leave(GsiName gsi) {
    building.remove(gsi);
  }
}
