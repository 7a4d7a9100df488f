package org.pgconcord.cdc.change;

import org.pgconcord.config.value.Lsn;

/**
 * A non-transactional message that {@code pg_logical_emit_message} wrote: a fence or a heartbeat.
 * It is delivered after every transaction that committed before {@link #lsn} and before every later
 * one.
 *
 * @param lsn where the message's record starts; {@code pg_logical_emit_message} itself returns
 *     where it ends
 */
public record Message(String prefix, String content, Lsn lsn) {}
