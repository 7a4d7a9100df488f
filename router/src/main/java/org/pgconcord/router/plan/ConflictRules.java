package org.pgconcord.router.plan;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.schema.UniqueKey;
import org.pgconcord.config.topology.Gsi;
import org.pgconcord.router.analyse.DeclaredTable;
import org.pgconcord.router.analyse.KeyColumn;
import org.pgconcord.router.sql.ConflictView;

/**
 * ON CONFLICT of an INSERT into a sharded table (docs/decisions/0013).
 *
 * <p>A shard sees the conflicts among its own rows. Those are all that there are for an index that
 * has the shard key among its columns: rows that are equal in it are on one shard. For any other
 * index the row in the way may be on another shard, where nothing would be found of it.
 */
final class ConflictRules {
  private final DeclaredTable table;
  private final DeclaredTable.ShardKey key;
  private final ConflictView conflict;

  ConflictRules(DeclaredTable table, DeclaredTable.ShardKey key, ConflictView conflict) {
    this.table = table;
    this.key = key;
    this.conflict = conflict;
  }

  /**
   * Refuses what the shards cannot decide by themselves.
   *
   * @param gsis all indexes of the table
   * @param maintained those of them whose entries are kept
   */
  void check(List<Gsi> gsis, List<Gsi> maintained) {
    assigned(gsis);
    switch (conflict.target()) {
      case NONE -> everyIndex(maintained);
      case COLUMNS -> requireLocal(conflict.columns());
      case CONSTRAINT -> requireLocal(constraint(conflict.columns().get(0)));
    }
    if (conflict.updates() && !maintained.isEmpty() && isPartitioned()) {
      throw ErrorCode.WRITE_ON_CONFLICT.because(
          "%s is partitioned, so that new rows are not told from updated ones"
              .formatted(table.name()));
    }
  }

  /** Whether rows that were there are among the returned ones. */
  boolean updates() {
    return conflict.updates();
  }

  private boolean isPartitioned() {
    return table.schema().filter(s -> s.relkind() == 'r').isEmpty();
  }

  private void assigned(List<Gsi> gsis) {
    for (KeyColumn column : key.columns()) {
      if (conflict.assigned().contains(column.name())) {
        throw ErrorCode.WRITE_SHARD_KEY_COLUMN.because(
            "ON CONFLICT DO UPDATE assigns shard-key column \"%s\" of %s"
                .formatted(column.name(), table.name()));
      }
    }
    for (Gsi gsi : gsis) {
      Set<String> stored = new HashSet<>(gsi.columns());
      stored.addAll(gsi.ownerPrimaryKey());
      stored.retainAll(conflict.assigned());
      if (!stored.isEmpty()) {
        throw ErrorCode.WRITE_ON_CONFLICT.because(
            "ON CONFLICT DO UPDATE assigns column \"%s\" of index %s"
                .formatted(stored.iterator().next(), gsi.name()));
      }
    }
  }

  private void requireLocal(List<String> columns) {
    if (!local(columns)) {
      throw elsewhere("the index that ON CONFLICT names");
    }
  }

  private List<String> constraint(String name) {
    return unique()
        .filter(u -> u.index().equals(name))
        .findFirst()
        .map(UniqueKey::columns)
        .orElseThrow(
            () ->
                ErrorCode.WRITE_ON_CONFLICT.because(
                    "\"%s\" is not known as a unique constraint of %s"
                        .formatted(name, table.name())));
  }

  private void everyIndex(List<Gsi> maintained) {
    maintained.stream()
        .filter(Gsi::unique)
        .findFirst()
        .ifPresent(
            gsi -> {
              throw elsewhere("index " + gsi.name());
            });
    unique()
        .filter(u -> !local(u.columns()))
        .findFirst()
        .ifPresent(
            u -> {
              throw elsewhere("unique index " + u.index());
            });
  }

  private ConcordException elsewhere(String what) {
    return ErrorCode.WRITE_ON_CONFLICT
        .because(
            "%s does not have the shard key %s of %s among its columns"
                .formatted(what, key.names(), table.name()))
        .withDetail("The row that is in the way may be on another shard.");
  }

  private boolean local(List<String> columns) {
    return columns.containsAll(key.columns().stream().map(KeyColumn::name).toList());
  }

  private java.util.stream.Stream<UniqueKey> unique() {
    return Optional.of(table).flatMap(DeclaredTable::schema).stream()
        .flatMap(s -> s.uniqueKeys().stream());
  }
}
