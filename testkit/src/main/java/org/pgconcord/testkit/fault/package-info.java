/**
 * Faults on the way to a server, at a message of the test's choice. A {@link
 * org.pgconcord.testkit.fault.FaultNetwork} listens once per server and passes PostgreSQL messages
 * on; {@link org.pgconcord.testkit.fault.Rule}s say what happens to the n-th message of a kind on a
 * link; {@link org.pgconcord.testkit.fault.Journal} tells what has passed.
 *
 * <p>What is decided ({@link org.pgconcord.testkit.fault.Framer}, {@link
 * org.pgconcord.testkit.fault.FaultPlan}) is pure; sockets and threads are in two classes. The
 * proxy refuses encryption on the server's behalf, since it must read what it cuts. It knows
 * nothing of routers: psql, a driver or replication can be behind it.
 */
@org.jspecify.annotations.NullMarked
package org.pgconcord.testkit.fault;
