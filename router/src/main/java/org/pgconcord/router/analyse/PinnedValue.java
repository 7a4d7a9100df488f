package org.pgconcord.router.analyse;

import org.pgconcord.router.sql.ConstantView;

/**
 * A value that a column of a shard key is known to have.
 *
 * @param column what the constant is compared with or stored in, and so converted for: a column of
 *     the pinned table or of one that is co-located with it
 */
public record PinnedValue(ConstantView constant, KeyColumn column) {}
