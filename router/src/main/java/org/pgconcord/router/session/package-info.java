/**
 * A client's session: its protocol state, prepared statements, portals and settings. {@link
 * org.pgconcord.router.session.ClientSession} turns messages into calls of a {@link
 * org.pgconcord.router.session.StatementRunner} (implemented by {@code exec}) and the runner's
 * results into answers. What a message means in which state is decided by pure classes; Netty is
 * only the shell. Knows no plan and no topology.
 */
@org.jspecify.annotations.NullMarked
package org.pgconcord.router.session;
