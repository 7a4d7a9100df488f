package org.pgconcord.state.lifecycle;

import java.util.List;
import org.pgconcord.config.catalog.GsiState;

/**
 * The answer of the life cycle.
 *
 * @param kind whether the event moves the index, leaves it as it is, or must not happen here
 * @param state the state afterwards; the same as before unless {@code kind} is MOVES
 * @param actions in order; PUBLISH stands where the catalog is stepped
 */
public record Transition(Kind kind, GsiState state, List<GsiAction> actions) {
  /** What an event does to a state. */
  public enum Kind {
    MOVES,
    STAYS,
    REFUSED
  }

  public Transition {
    actions = List.copyOf(actions);
  }

  static Transition to(GsiState state, GsiAction... actions) {
    return new Transition(Kind.MOVES, state, List.of(actions));
  }

  static Transition stays(GsiState state, GsiAction... actions) {
    return new Transition(Kind.STAYS, state, List.of(actions));
  }

  static Transition refused(GsiState state) {
    return new Transition(Kind.REFUSED, state, List.of());
  }
}
