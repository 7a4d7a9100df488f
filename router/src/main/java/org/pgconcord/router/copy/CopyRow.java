package org.pgconcord.router.copy;

import java.util.List;

/**
 * A whole row within the reader's own buffer: valid during the call that hands it over.
 *
 * @param from its first byte
 * @param to the end of it, line end included
 * @param line the client's line on which it ends, from 1; in binary format its number
 * @param lines how many lines it has
 * @param fields those that were asked for, from the first on
 */
@SuppressWarnings("ArrayRecordComponent") // handed on, never compared
public record CopyRow(
    byte[] bytes, int from, int to, long line, int lines, List<CopyField> fields) {}
