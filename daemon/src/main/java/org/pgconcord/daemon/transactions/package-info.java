/**
 * Ends transactions over several shards whose router did not. {@link
 * org.pgconcord.daemon.transactions.Resolver} does what {@code config.atomic.Resolution} asks for,
 * at the daemon's start and then regularly; {@link
 * org.pgconcord.daemon.transactions.TransactionOperations} shows them to people and lets them
 * decide. Neither decides anything else: the catalog's row does.
 */
@org.jspecify.annotations.NullMarked
package org.pgconcord.daemon.transactions;
