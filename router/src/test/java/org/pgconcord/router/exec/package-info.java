/** The router with real plans on real shards, seen through its port. */
@org.jspecify.annotations.NullMarked
package org.pgconcord.router.exec;
