/**
 * The life of a global secondary index as a pure function: {@link
 * org.pgconcord.state.lifecycle.GsiLifecycle} maps a state and an event to the next state and to
 * what has to be done before and after it is published. No clock, no store, no connection: whoever
 * calls it carries the actions out and steps the catalog.
 */
@org.jspecify.annotations.NullMarked
package org.pgconcord.state.lifecycle;
