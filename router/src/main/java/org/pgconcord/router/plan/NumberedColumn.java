package org.pgconcord.router.plan;

/**
 * A column that gets numbers of the router's.
 *
 * @param always an identity that is GENERATED ALWAYS
 */
public record NumberedColumn(String name, NumberedSequence sequence, boolean always) {}
