package org.pgconcord.config.topology;

import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The groups and indexes of a document, as far as they could be resolved.
 *
 * @param declaredGroups all names, also of groups that have faults of their own
 * @param declaredIndexes all names, also of indexes that have faults of their own
 * @param authoritative a stand-in when the document's choice is not usable: a finding then says so,
 *     and the tables can be checked all the same
 * @param defaultGroup the cluster's default for declared tables
 */
record Layout(
    Map<String, ShardGroup> groups,
    Map<String, ShardIndex> indexes,
    Set<String> declaredGroups,
    Set<String> declaredIndexes,
    ShardGroup authoritative,
    Optional<ShardGroup> defaultGroup) {}
