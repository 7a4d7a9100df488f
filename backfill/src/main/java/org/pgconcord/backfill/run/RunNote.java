package org.pgconcord.backfill.run;

/**
 * What is known of a complete run: written only after the file is durable.
 *
 * @param file the file's name in the build's directory
 * @param range the ordinal of its ctid range in the shard's list
 * @param lookup the lookup shard that its entries belong on
 * @param rows entries in it
 * @param dataBytes bytes of entries, from the file's start
 * @param fileBytes bytes of the whole file, samples included
 * @param checksum CRC-32C of the whole file
 * @param nullViolations rows of the range that may not be there
 */
public record RunNote(
    String file,
    int range,
    String lookup,
    long rows,
    long dataBytes,
    long fileBytes,
    int checksum,
    long nullViolations) {}
