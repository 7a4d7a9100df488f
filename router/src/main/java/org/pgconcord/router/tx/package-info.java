/**
 * A session's transaction over its shards. {@link org.pgconcord.router.tx.Transaction} opens it
 * lazily on each shard that a statement needs, keeps its savepoints, and ends it: the order of
 * commits and what is said after each failure is {@link org.pgconcord.router.tx.CommitSequence}.
 * {@link org.pgconcord.router.tx.RouterEpochs} holds the routing state that plans are made from,
 * and knows who still works under an older one.
 *
 * <p>All but {@code RouterEpochs} runs on the session's event loop. Knows no plan and no client.
 */
@org.jspecify.annotations.NullMarked
package org.pgconcord.router.tx;
