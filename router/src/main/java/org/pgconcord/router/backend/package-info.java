/**
 * Connections to shards. {@link org.pgconcord.router.backend.Backends} gives a session its own
 * connection per shard and role, brought to the session's settings; {@link
 * org.pgconcord.router.backend.BackendConnection} carries requests, each answered through a {@link
 * org.pgconcord.router.backend.BackendListener} in the order sent. Everything here happens on the
 * event loop of the session that owns the connections. Knows no plan and no client.
 */
@org.jspecify.annotations.NullMarked
package org.pgconcord.router.backend;
