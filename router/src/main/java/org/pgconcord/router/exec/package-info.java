/**
 * Runs plans. {@link org.pgconcord.router.exec.Executor} is a session's {@link
 * org.pgconcord.router.session.StatementRunner}: it plans each statement under the current routing
 * state and hands it to the class that is named after where it runs ({@link
 * org.pgconcord.router.exec.OnOneShard}, {@link org.pgconcord.router.exec.OverShards}, {@link
 * org.pgconcord.router.exec.ThroughIndex}, {@link org.pgconcord.router.exec.WriteInParts}, {@link
 * org.pgconcord.router.exec.SessionCommands}). An {@link org.pgconcord.router.exec.Execution} is
 * one statement's way from its call to its sink.
 *
 * <p>Everything here happens on the session's event loop and never blocks. Nothing here reads SQL.
 */
@org.jspecify.annotations.NullMarked
package org.pgconcord.router.exec;
