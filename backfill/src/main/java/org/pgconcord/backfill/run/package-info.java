/**
 * Sorted runs on this machine's disk. A run holds the entries of one ctid range of one owner shard
 * in key order, as the bytes that a binary COPY will take back unread; {@link
 * org.pgconcord.backfill.run.RunWriter} makes one, {@link org.pgconcord.backfill.run.RunFile} opens
 * one, {@link org.pgconcord.backfill.run.RunCursor} walks a part of one. Knows no server.
 */
@org.jspecify.annotations.NullMarked
package org.pgconcord.backfill.run;
