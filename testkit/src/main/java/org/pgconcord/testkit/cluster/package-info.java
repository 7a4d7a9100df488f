/**
 * Embedded PostgreSQL shards: real servers, started as direct children of this process, each with a
 * data directory, a loopback port and a log of its own. The entry type is {@link
 * org.pgconcord.testkit.cluster.ShardCluster}; {@link org.pgconcord.testkit.cluster.ShardProcess}
 * is one server that can be stopped, killed like a crash, and started again.
 *
 * <p>Nothing outlives its user: closing a cluster ends its servers by pid and removes its
 * directory; a shutdown hook does so when the JVM ends; after a SIGKILL the next start recognises
 * the directory by its lock file and cleans it up ({@link
 * org.pgconcord.testkit.cluster.ClusterDirectory}).
 *
 * <p>The package is shipped: {@code pgconcord demo} runs on it. It knows nothing of topologies,
 * routers or indexes. Linux only, since it reads {@code /proc}.
 */
@org.jspecify.annotations.NullMarked
package org.pgconcord.testkit.cluster;
