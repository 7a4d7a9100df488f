package org.pgconcord.state.lifecycle;

import static org.pgconcord.config.catalog.GsiState.BLOCKED;
import static org.pgconcord.config.catalog.GsiState.ENABLED;
import static org.pgconcord.config.catalog.GsiState.FILLING;
import static org.pgconcord.config.catalog.GsiState.NEEDS_RESYNC;
import static org.pgconcord.config.catalog.GsiState.TAILING;
import static org.pgconcord.config.catalog.GsiState.WRITE_ONLY;
import static org.pgconcord.state.lifecycle.GsiAction.ALERT;
import static org.pgconcord.state.lifecycle.GsiAction.APPLY_BLINDLY;
import static org.pgconcord.state.lifecycle.GsiAction.AUDIT;
import static org.pgconcord.state.lifecycle.GsiAction.BACKFILL;
import static org.pgconcord.state.lifecycle.GsiAction.DRAIN;
import static org.pgconcord.state.lifecycle.GsiAction.DROP_SLOTS;
import static org.pgconcord.state.lifecycle.GsiAction.EMIT_FENCES;
import static org.pgconcord.state.lifecycle.GsiAction.PREPARE_SLOTS;
import static org.pgconcord.state.lifecycle.GsiAction.PUBLISH;
import static org.pgconcord.state.lifecycle.GsiAction.QUIESCE_BLIND_WRITES;
import static org.pgconcord.state.lifecycle.GsiAction.RAISE_READ_EPOCH;
import static org.pgconcord.state.lifecycle.GsiAction.STOP_APPLYING;

import org.pgconcord.config.catalog.GsiState;

/**
 * The life of a global secondary index.
 *
 * <p>Two rules shape the table. At any time either the engine alone writes entries, blindly and in
 * stream order ({@code filling}, {@code tailing}), or everybody writes them under locks ({@code
 * write_only}, {@code enabled}); so the last blind transaction ends <em>before</em> {@code
 * write_only} is published, and blind application begins again only after the drain that follows
 * its withdrawal. And routers read only what they also maintain; so the read epoch is raised before
 * a maintaining router may stop.
 *
 * <p>Every pair of state and event has an answer; a test compares all of them with a text table.
 */
public final class GsiLifecycle {
  private GsiLifecycle() {}

  public static Transition on(GsiState state, GsiEvent event) {
    return switch (event) {
      case BUILD -> build(state);
      case FILLED -> only(state, FILLING, Transition.to(TAILING, PUBLISH, APPLY_BLINDLY));
      case PROVEN ->
          only(state, TAILING, Transition.to(WRITE_ONLY, QUIESCE_BLIND_WRITES, PUBLISH, AUDIT));
      case PROVEN_AGAIN -> only(state, WRITE_ONLY, Transition.to(ENABLED, PUBLISH));
      case STEP_DOWN -> stepDown(state);
      case STOP -> stop(state);
      case TRUNCATED -> truncated(state);
      case DEFINITION_CHANGED, UNREADABLE -> blocked(state);
      case STREAM_LOST -> lost(state);
      case LOOKUP_CHANGED -> lookupChanged(state);
    };
  }

  private static Transition only(GsiState state, GsiState from, Transition step) {
    return state == from ? step : Transition.refused(state);
  }

  private static Transition build(GsiState state) {
    return switch (state) {
      case DECLARED, BLOCKED, NEEDS_RESYNC ->
          Transition.to(FILLING, STOP_APPLYING, PREPARE_SLOTS, PUBLISH, BACKFILL);
      case FILLING -> Transition.stays(FILLING, BACKFILL);
      case TAILING -> Transition.stays(TAILING, APPLY_BLINDLY);
      case WRITE_ONLY, ENABLED -> Transition.stays(state, AUDIT);
    };
  }

  private static Transition stepDown(GsiState state) {
    return switch (state) {
      case ENABLED -> Transition.to(WRITE_ONLY, RAISE_READ_EPOCH, PUBLISH, DRAIN);
      case WRITE_ONLY -> Transition.to(TAILING, EMIT_FENCES, PUBLISH, DRAIN, APPLY_BLINDLY);
      case DECLARED, FILLING, TAILING, BLOCKED, NEEDS_RESYNC -> Transition.stays(state);
    };
  }

  private static Transition stop(GsiState state) {
    return switch (state) {
      case DECLARED -> Transition.stays(state);
      case NEEDS_RESYNC -> Transition.stays(state, DROP_SLOTS);
      case FILLING, TAILING, BLOCKED ->
          Transition.to(NEEDS_RESYNC, STOP_APPLYING, PUBLISH, DROP_SLOTS);
      case WRITE_ONLY, ENABLED ->
          Transition.to(NEEDS_RESYNC, RAISE_READ_EPOCH, STOP_APPLYING, PUBLISH, DRAIN, DROP_SLOTS);
    };
  }

  /** While the engine is the sole writer the tail empties that shard's entries itself. */
  private static Transition truncated(GsiState state) {
    return state.maintained()
        ? Transition.to(NEEDS_RESYNC, RAISE_READ_EPOCH, STOP_APPLYING, PUBLISH, DRAIN, ALERT)
        : Transition.stays(state);
  }

  private static Transition blocked(GsiState state) {
    return switch (state) {
      case DECLARED, BLOCKED, NEEDS_RESYNC -> Transition.stays(state);
      case FILLING, TAILING -> Transition.to(BLOCKED, STOP_APPLYING, PUBLISH, ALERT);
      case WRITE_ONLY, ENABLED ->
          Transition.to(BLOCKED, RAISE_READ_EPOCH, STOP_APPLYING, PUBLISH, DRAIN, ALERT);
    };
  }

  private static Transition lost(GsiState state) {
    return switch (state) {
      case DECLARED, NEEDS_RESYNC -> Transition.stays(state);
      case FILLING, TAILING, BLOCKED -> Transition.to(NEEDS_RESYNC, STOP_APPLYING, PUBLISH, ALERT);
      case WRITE_ONLY, ENABLED ->
          Transition.to(NEEDS_RESYNC, RAISE_READ_EPOCH, STOP_APPLYING, PUBLISH, DRAIN, ALERT);
    };
  }

  /** Entries that the old server acknowledged may be gone: readers leave at once. */
  private static Transition lookupChanged(GsiState state) {
    return switch (state) {
      case ENABLED -> Transition.to(WRITE_ONLY, PUBLISH, RAISE_READ_EPOCH, ALERT);
      case FILLING, TAILING -> Transition.to(NEEDS_RESYNC, STOP_APPLYING, PUBLISH, ALERT);
      case DECLARED, WRITE_ONLY, BLOCKED, NEEDS_RESYNC -> Transition.stays(state, ALERT);
    };
  }
}
