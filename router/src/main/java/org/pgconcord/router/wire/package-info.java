/**
 * The wire protocol's bytes and nothing else: {@link org.pgconcord.router.wire.Frame} is one
 * message (or a run of data rows), decoders cut streams into frames under a length limit, writers
 * make frames, readers open the few whose content matters. Message names and layouts follow the
 * PostgreSQL manual, chapter "Frontend/Backend Protocol". Knows no session, plan or shard.
 *
 * <p>Outside this package, {@code session} and {@code backend} nobody touches a Netty buffer:
 * {@code exec} hands frames on, or reads them through {@link org.pgconcord.router.wire.DataRows}
 * and {@link org.pgconcord.router.wire.ErrorFields}.
 */
@org.jspecify.annotations.NullMarked
package org.pgconcord.router.wire;
