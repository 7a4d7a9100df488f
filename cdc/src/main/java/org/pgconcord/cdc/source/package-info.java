/**
 * The one reader of changes: Debezium Embedded, and the only package that sees Debezium and Kafka
 * Connect. {@link org.pgconcord.cdc.source.DebeziumStream} is the entry type. Its parts, in the
 * order in which a record passes them: {@code RecordReader} turns a Connect record into an event of
 * ours, {@code TransactionAssembler} collects whole transactions (the large ones in a {@code
 * Spool}), {@code Acknowledgements} decides up to which record the slot may move.
 *
 * <p>Debezium keeps no offsets here. With stored offsets release 3.6.1 loses rows on restart where
 * several share a log position (COPY: 121 of 1000); so every start begins at the slot's confirmed
 * position, and whoever listens skips the transactions that it has applied.
 */
@org.jspecify.annotations.NullMarked
package org.pgconcord.cdc.source;
