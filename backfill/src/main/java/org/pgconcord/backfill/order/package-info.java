/**
 * The order of key values as raw binary output, without decoding them. Entry type: {@link
 * org.pgconcord.backfill.order.RawOrder}. Each order here is the one by which the exporting
 * statement sorts, so that a run that a server wrote can be merged here; it knows no file, row or
 * table.
 */
@org.jspecify.annotations.NullMarked
package org.pgconcord.backfill.order;
