package org.pgconcord.cdc.apply;

import java.util.Optional;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.Lsn;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.gsi.LookupIndex;

/**
 * One target as one tail serves it: the entries of one index on one lookup shard. Used by the
 * tail's thread alone.
 */
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

  /** What tells the targets of one stream apart: they have positions of their own. */
  record Key(GsiName gsi, ShardId lookup) {}

  Key key() {
    return new Key(context.index().name(), context.lookup());
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

  /** Where blind application has to begin so that nothing after the fence is missing. */
  Lsn replayFrom(Lsn fence) {
    return position.isBefore(fence) ? position : fence;
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
