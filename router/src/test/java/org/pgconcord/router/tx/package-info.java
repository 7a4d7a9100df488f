/** Transactions and their entries on real shards, below planner and protocol. */
@org.jspecify.annotations.NullMarked
package org.pgconcord.router.tx;
