package org.pgconcord.router.plan;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.pgconcord.config.catalog.CopiedTable;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;
import org.pgconcord.router.analyse.DeclaredTable;

/**
 * The marked copies among those that a statement could read.
 *
 * @param tables shard -> reference tables whose copies there may differ from their leaders'
 */
public record StaleCopies(Map<ShardId, Set<TableName>> tables) {
  public static final StaleCopies NONE = new StaleCopies(Map.of());

  public StaleCopies {
    tables = Map.copyOf(tables);
  }

  static StaleCopies of(PlanInput input, Collection<DeclaredTable> references) {
    Map<ShardId, Set<TableName>> stale = new TreeMap<>();
    for (DeclaredTable table : references) {
      CopiedTable copied = new CopiedTable(input.context().database(), table.name());
      for (ShardId shard : input.context().state().copies().of(copied)) {
        stale.computeIfAbsent(shard, s -> new TreeSet<>()).add(table.name());
      }
    }
    return new StaleCopies(stale);
  }

  public boolean on(ShardId shard) {
    return tables.containsKey(shard);
  }

  /** Those of the shards that have no marked copy. */
  public List<ShardId> without(Collection<ShardId> shards) {
    return shards.stream().filter(shard -> !on(shard)).toList();
  }

  /** The refusal of a statement that needs a marked copy on one of the shards. */
  public ConcordException refusal(Collection<ShardId> shards) {
    ShardId shard = shards.stream().filter(this::on).findFirst().orElseThrow();
    TableName table = tables.getOrDefault(shard, Set.of()).iterator().next();
    return ErrorCode.COPY_UNEQUAL
        .because("the copy of %s on shard %s may differ from the others".formatted(table, shard))
        .withHint(
            "Run \"pgconcord reference verify %1$s\", or repair it by \"pgconcord reference repair %1$s\"; SET pgconcord.stale_copies = allow reads it all the same."
                .formatted(table));
  }

  /** Lines of EXPLAIN (ROUTER). */
  List<String> lines() {
    List<String> lines = new ArrayList<>();
    new TreeMap<>(tables)
        .forEach(
            (shard, marked) ->
                lines.add(
                    "Marked: the copy on %s of %s, read only with pgconcord.stale_copies = allow"
                        .formatted(
                            shard,
                            marked.stream()
                                .sorted()
                                .map(TableName::toString)
                                .collect(Collectors.joining(", ")))));
    return lines;
  }
}
