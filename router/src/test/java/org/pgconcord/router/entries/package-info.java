/** Tests of entry maintenance that need no server. */
@org.jspecify.annotations.NullMarked
package org.pgconcord.router.entries;
