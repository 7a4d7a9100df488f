/**
 * From a client's text to something that can be reasoned about. {@link
 * org.pgconcord.router.sql.Lexer} follows PostgreSQL's lexical rules exactly; everything else here
 * works on its tokens: splitting at {@code ;}, recognising commands by their first words, and the
 * view of a query that the analysis reads. That view comes from JSqlParser, which sees a rewritten
 * text made for it and is known to this package alone; the client's own text is what a shard gets,
 * changed only by edits at token positions.
 *
 * <p>Knows no topology, no catalog and no session.
 */
@org.jspecify.annotations.NullMarked
package org.pgconcord.router.sql;
