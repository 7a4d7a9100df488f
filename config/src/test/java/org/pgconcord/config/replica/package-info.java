/** The rule by which a replica is fresh, without servers. */
@NullMarked
package org.pgconcord.config.replica;

import org.jspecify.annotations.NullMarked;
