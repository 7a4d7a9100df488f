/**
 * The applied topology as an operation: found at the start, shown, checked against the shards, and
 * changed under the rules that keep maintained indexes true ({@link
 * org.pgconcord.daemon.topology.ChangeRules}). The document is what people wish; the states of the
 * indexes are the catalog's.
 */
@org.jspecify.annotations.NullMarked
package org.pgconcord.daemon.topology;
