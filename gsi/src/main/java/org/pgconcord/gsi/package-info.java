/**
 * Entries of global secondary indexes: the one place that derives them from rows, and the one place
 * that knows their SQL. {@link org.pgconcord.gsi.LookupIndex} is a declared index resolved against
 * the tables' schemas; {@link org.pgconcord.gsi.EntryDeriver} turns row images into entries; {@link
 * org.pgconcord.gsi.EntrySql} and {@link org.pgconcord.gsi.LookupDdl} hold every statement that
 * touches a lookup table; {@link org.pgconcord.gsi.Settlement} decides by locks and fresh reads
 * whether an entry is true, and makes it so.
 *
 * <p>Router, backfill, tail, auditor and verifier agree on entries because they all come here. All
 * but {@link org.pgconcord.gsi.SettlementRunner} is free of connections, clocks and threads.
 */
@org.jspecify.annotations.NullMarked
package org.pgconcord.gsi;
