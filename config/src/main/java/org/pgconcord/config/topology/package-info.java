/**
 * What a topology document says. {@link org.pgconcord.config.topology.TopologyReader} reads one
 * strictly, applies every rule that needs no server, and gives either a resolved {@link
 * org.pgconcord.config.topology.Topology} or all {@link org.pgconcord.config.topology.Finding}s at
 * once. The stages: {@code DocumentReader} turns JSON into {@code Document} records that still hold
 * paths; {@code LayoutRules} resolves indexes and groups, {@code TableRules} placements, {@code
 * GsiRules} the indexes over them. {@link org.pgconcord.config.topology.Rule} lists every finding.
 * Whether the shards look as the document says is not known here but in {@code config.check}.
 */
@org.jspecify.annotations.NullMarked
package org.pgconcord.config.topology;
