package org.pgconcord.cdc.apply;

import java.util.Optional;
import org.pgconcord.config.value.Lsn;
import org.pgconcord.gsi.LookupIndex;

/** One index as one tail serves it. Used by the tail's thread alone. */
final class Served {
  private final TargetContext context;
  private final long epoch;
  private Target target;
  private ServingMode mode;
  private Lsn position;
  private Lsn stored;
  private Optional<Lsn> hold = Optional.empty();
  private boolean paused;

  Served(TargetContext context, ServingMode mode, ProgressRow.Mark mark) {
    this.context = context;
    this.epoch = mark.epoch();
    this.position = mark.position();
    this.stored = mark.position();
    this.mode = mode;
    this.target = make(mode);
  }

  private Target make(ServingMode wanted) {
    return switch (wanted) {
      case BLIND -> new Applier(context, epoch);
      case AUDIT -> new Auditor(context, epoch);
    };
  }

  LookupIndex index() {
    return context.index();
  }

  Target target() {
    return target;
  }

  ServingMode mode() {
    return mode;
  }

  long epoch() {
    return epoch;
  }

  void switchTo(ServingMode wanted) {
    if (wanted != mode) {
      target.reset();
      mode = wanted;
      target = make(wanted);
    }
  }

  /** Every transaction up to here has had its effect. */
  Lsn position() {
    return position;
  }

  void position(Lsn reached) {
    position = reached;
  }

  /** What the progress row says: the slot must never be ahead of it. */
  Lsn stored() {
    return stored;
  }

  void stored(Lsn reached) {
    stored = reached;
  }

  /** Both begin again at a fence. */
  void rewind(Lsn fence) {
    position = fence;
    stored = fence;
    hold = Optional.empty();
  }

  /** What the slot may move to as far as this index goes. */
  Lsn durable() {
    return hold.filter(held -> held.isBefore(stored)).orElse(stored);
  }

  /** Nothing is applied, reviewed or stored until {@link #resume}. */
  void pause() {
    paused = true;
  }

  void resume() {
    paused = false;
  }

  boolean paused() {
    return paused;
  }

  /** Keeps everything after the present position in the slot until {@link #rewind}. */
  void hold() {
    hold = Optional.of(position);
  }
}
