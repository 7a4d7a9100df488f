package org.pgconcord.router.analyse;

import org.pgconcord.router.sql.ConstantView;

/** A value that a shard key is known to have: the rows that matter are where it leads. */
public record PinnedValue(ConstantView constant, DeclaredTable.ShardKey key) {}
