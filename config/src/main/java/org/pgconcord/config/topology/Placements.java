package org.pgconcord.config.topology;

import java.util.List;
import java.util.Optional;
import org.pgconcord.config.json.DidYouMean;
import org.pgconcord.config.value.ShardId;

/** Finds groups by name and says where the rows of a table bound to one are. */
final class Placements {
  private final Layout layout;
  private final Findings findings;

  Placements(Layout layout, Findings findings) {
    this.layout = layout;
    this.findings = findings;
  }

  /** The named group; empty, with a finding unless the group exists but is itself faulty. */
  Optional<ShardGroup> group(String uid, String path) {
    ShardGroup group = layout.groups().get(uid);
    findings.require(
        layout.declaredGroups().contains(uid),
        Rule.GROUP_UNKNOWN,
        path,
        "no shard group is named \"" + uid + "\"" + DidYouMean.hint(uid, layout.declaredGroups()));
    return Optional.ofNullable(group);
  }

  /** The first default that is set: the schema's, the database's, the cluster's. */
  Optional<ShardGroup> defaultGroup(Document.Schema schema, Document.Database database) {
    return named(schema.defaultGroup())
        .or(() -> named(database.defaultGroup()))
        .or(layout::defaultGroup);
  }

  Optional<ShardGroup> defaultGroup(Document.Database database) {
    return named(database.defaultGroup()).or(layout::defaultGroup);
  }

  private Optional<ShardGroup> named(Optional<String> uid) {
    return uid.map(layout.groups()::get);
  }

  Optional<ShardIndex> index(String name, String path) {
    ShardIndex index = layout.indexes().get(name);
    findings.require(
        layout.declaredIndexes().contains(name),
        Rule.INDEX_UNKNOWN,
        path,
        "no shard index is named \""
            + name
            + "\""
            + DidYouMean.hint(name, layout.declaredIndexes()));
    return Optional.ofNullable(index);
  }

  /** Where a table's rows are, given its group and the index that it names itself. */
  Optional<Placement> of(
      ShardGroup group, Optional<String> ownIndex, boolean declared, String path) {
    Optional<String> name = ownIndex.or(group::defaultShardIndex);
    if (name.isPresent()) {
      Optional<ShardIndex> index =
          ownIndex.isPresent()
              ? index(name.get(), path + ".shard_index")
              : Optional.ofNullable(layout.indexes().get(name.get()));
      index
          .filter(i -> !group.defaultShardIndex().equals(Optional.of(i.name())))
          .flatMap(i -> RangeRules.misfit(group, i))
          .ifPresent(
              why ->
                  findings.add(
                      Rule.TABLE_INDEX_MISFIT,
                      path + ".shard_index",
                      "the key ranges of group \"" + group.uid() + "\" do not fit: " + why));
      return index.map(i -> new Placement.Sharded(group, i));
    }
    List<ShardId> shards = group.shards();
    if (shards.size() > 1) {
      findings.add(
          Rule.TABLE_NO_INDEX,
          path,
          "the group \"" + group.uid() + "\" has several shards and no index chooses among them");
      return Optional.empty();
    }
    return Optional.of(new Placement.Unsharded(group, shards.get(0), declared));
  }
}
