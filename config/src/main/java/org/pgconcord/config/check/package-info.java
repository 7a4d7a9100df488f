/**
 * Whether the shards look as a topology says. {@link org.pgconcord.config.check.SchemaSurvey} reads
 * what is there; {@link org.pgconcord.config.check.TopologyCheck} compares it with the document and
 * is pure, so that the same rules run on a survey of servers and on schema files. Findings use the
 * rules of {@code config.topology}.
 */
@org.jspecify.annotations.NullMarked
package org.pgconcord.config.check;
