/**
 * What tests of every module share beside the embedded shards: outside programs and the rule that
 * decides what happens without them ({@link org.pgconcord.testkit.RequiredTools}, {@link
 * org.pgconcord.testkit.Psql}). Not shipped; the package {@code cluster} is.
 */
@org.jspecify.annotations.NullMarked
package org.pgconcord.testkit;
