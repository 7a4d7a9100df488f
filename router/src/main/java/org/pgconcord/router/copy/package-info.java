/**
 * The data of a COPY FROM: cut into rows by PostgreSQL's own rules, and fields read where somebody
 * must know them ({@link org.pgconcord.router.copy.RowReader}). Pure: bytes in, rows out; where a
 * row goes is decided elsewhere. What ends a row and what a field says follow {@code
 * src/backend/commands/copyfromparse.c}, versions 15 to 18.
 */
@org.jspecify.annotations.NullMarked
package org.pgconcord.router.copy;
