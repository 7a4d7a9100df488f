/** Tests of what is done with topology documents, without shards. */
@org.jspecify.annotations.NullMarked
package org.pgconcord.daemon.topology;
