package org.pgconcord.daemon.build;

import java.util.Optional;
import org.pgconcord.config.catalog.GsiStep;
import org.pgconcord.config.catalog.RoutingState.GsiStatus;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.state.lifecycle.GsiAction;
import org.pgconcord.state.lifecycle.GsiEvent;
import org.pgconcord.state.lifecycle.GsiLifecycle;
import org.pgconcord.state.lifecycle.Transition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves one index through its life: asks the pure table what an event means in the state that the
 * catalog has, and carries the answer out.
 *
 * <h2>Why a crash between two actions is harmless</h2>
 *
 * The catalog's step is the only memory. Before it, the index still is in the old state, and
 * whatever was prepared is prepared again when the event comes again; after it, the index is in the
 * new state, whose own entry ({@link GsiEvent#BUILD} at the start of a daemon) repeats the actions
 * that follow a publication. So every action is written to be repeated, and none is remembered. The
 * step is a compare-and-set on state and epoch: a driver that was overtaken ends here instead of
 * publishing what no longer holds.
 *
 * <p>Called by the index's own thread, one event at a time.
 */
final class LifecycleDriver {
  private static final Logger log = LoggerFactory.getLogger(LifecycleDriver.class);

  private final GsiName gsi;
  private final StepTaker steps;
  private final Machinery machinery;

  LifecycleDriver(GsiName gsi, StepTaker steps, Machinery machinery) {
    this.gsi = gsi;
    this.steps = steps;
    this.machinery = machinery;
  }

  /** Carries out an event that rests on nothing but the state. */
  GsiStatus fire(GsiEvent event, String reason) {
    return fire(event, reason, Optional.empty());
  }

  /**
   * @param evidence the report that an upward step is bound to
   * @throws ConcordException {@code gsi/wrong-state} when the event must not happen here
   */
  GsiStatus fire(GsiEvent event, String reason, Optional<StepTaker.Evidence> evidence) {
    GsiStatus status = steps.status();
    Transition transition = GsiLifecycle.on(status.state(), event);
    if (transition.kind() == Transition.Kind.REFUSED) {
      throw ErrorCode.GSI_WRONG_STATE.because(
          gsi + " is " + status.state().word() + ", where this cannot happen");
    }
    for (GsiAction action : transition.actions()) {
      status =
          action == GsiAction.PUBLISH
              ? publish(status, transition, reason, evidence)
              : perform(action, status);
    }
    return status;
  }

  private GsiStatus publish(
      GsiStatus from, Transition transition, String reason, Optional<StepTaker.Evidence> evidence) {
    GsiStep step = GsiStep.of(gsi, from.state(), transition.state(), from.epoch(), reason);
    GsiStatus to = steps.take(evidence.map(e -> e.bind(step)).orElse(step));
    log.info(
        "gsi state gsi={} from={} to={} epoch={} reason=\"{}\"",
        gsi,
        from.state().word(),
        to.state().word(),
        to.epoch(),
        reason);
    return to;
  }

  private GsiStatus perform(GsiAction action, GsiStatus status) {
    try {
      machinery.perform(action, status);
      return status;
    } catch (ConcordException e) {
      throw e;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw ErrorCode.GSI_STOPPED.because(gsi + ": the daemon is stopping").withCause(e);
    } catch (Exception e) {
      throw ErrorCode.GSI_STEP_FAILED
          .because(gsi + ": " + action.name().toLowerCase(java.util.Locale.ROOT) + " failed")
          .withDetail(String.valueOf(e.getMessage()))
          .withCause(e);
    }
  }
}
