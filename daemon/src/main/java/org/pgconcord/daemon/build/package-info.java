/**
 * The life of a global secondary index, driven: {@code GsiBuild} takes one index from declared to
 * tailing, {@code Cutover} through write_only to enabled and back, each step stored in the catalog
 * before the next begins, so that a daemon killed anywhere continues where it was. What may follow
 * what is decided by the pure machine {@code state.GsiLifecycle} and by {@code Gate}; the classes
 * here do the work of a step and report it.
 */
@org.jspecify.annotations.NullMarked
package org.pgconcord.daemon.build;
