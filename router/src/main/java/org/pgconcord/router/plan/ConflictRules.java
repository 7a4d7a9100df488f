package org.pgconcord.router.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.schema.Column;
import org.pgconcord.config.schema.UniqueKey;
import org.pgconcord.config.topology.Gsi;
import org.pgconcord.config.value.Identifiers;
import org.pgconcord.router.analyse.DeclaredTable;
import org.pgconcord.router.analyse.KeyColumn;
import org.pgconcord.router.sql.ConflictView;
import org.pgconcord.router.sql.SqlEdit;

/**
 * ON CONFLICT of an INSERT into a sharded table (docs/decisions/0013).
 *
 * <p>A shard sees the conflicts among its own rows. Those are all that there are for an index that
 * has the shard key among its columns: rows that are equal in it are on one shard. For any other
 * index the row in the way may be on another shard, where nothing would be found of it.
 */
final class ConflictRules {
  private static final String STRICT =
      "Set the index's gsi_mode to extended; or INSERT, and handle the unique violation.";

  private final DeclaredTable table;
  private final DeclaredTable.ShardKey key;
  private final ConflictView conflict;

  ConflictRules(DeclaredTable table, DeclaredTable.ShardKey key, ConflictView conflict) {
    this.table = table;
    this.key = key;
    this.conflict = conflict;
  }

  /**
   * Refuses what neither the shards nor entries can decide.
   *
   * @param gsis all indexes of the table
   * @param maintained those of them whose entries are kept
   * @return what the entries decide, if anything
   */
  Optional<TakenKeys> check(List<Gsi> gsis, List<Gsi> maintained) {
    assigned(gsis);
    if (conflict.updates() && !maintained.isEmpty() && isPartitioned()) {
      throw ErrorCode.WRITE_ON_CONFLICT.because(
          "%s is partitioned, so that new rows are not told from updated ones"
              .formatted(table.name()));
    }
    List<Gsi> unique = maintained.stream().filter(Gsi::unique).toList();
    return switch (conflict.target()) {
      case NONE -> everyIndex(unique);
      case COLUMNS -> byColumns(unique);
      case CONSTRAINT -> {
        requireLocal(constraint(conflict.columns().get(0)));
        yield Optional.empty();
      }
    };
  }

  /** Whether rows that were there are among the returned ones. */
  boolean updates() {
    return conflict.updates();
  }

  /** The columns of the index whose conflicts are meant, if it has no others and they are known. */
  Optional<List<String>> arbiter(Optional<TakenKeys> taken) {
    return switch (conflict.target()) {
      case NONE -> Optional.empty();
      case CONSTRAINT -> Optional.of(constraint(conflict.columns().get(0)));
      case COLUMNS -> {
        List<String> columns = new ArrayList<>(conflict.columns());
        if (taken.filter(t -> !t.edits().isEmpty()).isPresent()) {
          columns.addAll(added(columns));
        }
        yield conflict.plain() ? Optional.of(columns) : Optional.empty();
      }
    };
  }

  private List<String> added(List<String> columns) {
    return key.columns().stream()
        .map(KeyColumn::name)
        .filter(name -> !columns.contains(name))
        .toList();
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
    gsis.stream().filter(gsi -> !gsi.extended()).forEach(this::refuseChanged);
  }

  /** Refuses an update of rows in the way that may change entries of the index. */
  void refuseChanged(Gsi gsi) {
    changed(gsi)
        .findFirst()
        .ifPresent(
            column -> {
              var refusal =
                  ErrorCode.WRITE_ON_CONFLICT.because(
                      "ON CONFLICT DO UPDATE changes column \"%s\" of index %s"
                          .formatted(column, gsi.name()));
              throw gsi.extended() ? refusal : refusal.withHint(STRICT);
            });
  }

  /** Whether entries of the index may change with a row in the way that is updated. */
  boolean changes(Gsi gsi) {
    return changed(gsi).findAny().isPresent();
  }

  private Stream<String> changed(Gsi gsi) {
    return Stream.concat(gsi.columns().stream(), gsi.ownerPrimaryKey().stream())
        .filter(name -> conflict.assigned().contains(name) || mayFollow(name));
  }

  /** A generated column changes with others. */
  private boolean mayFollow(String column) {
    return conflict.updates()
        && table.schema().flatMap(s -> s.column(column)).map(Column::generated).orElse(true);
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

  /** A row is left out for any index, so that each must be seen by its shard or by entries. */
  private Optional<TakenKeys> everyIndex(List<Gsi> maintained) {
    unique()
        .filter(u -> !local(u.columns()))
        .filter(u -> maintained.stream().noneMatch(gsi -> sameColumns(u.columns(), gsi.columns())))
        .findFirst()
        .ifPresent(
            u -> {
              throw elsewhere("unique index " + u.index());
            });
    return maintained.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new TakenKeys(
                maintained.stream().map(Gsi::name).collect(Collectors.toSet()), List.of()));
  }

  /** The columns of a global index are a target as well, if the shard has an index to go with. */
  private Optional<TakenKeys> byColumns(List<Gsi> maintained) {
    if (local(conflict.columns())) {
      return Optional.empty();
    }
    Gsi gsi =
        maintained.stream()
            .filter(g -> conflict.whole() && sameColumns(conflict.columns(), g.columns()))
            .findFirst()
            .orElseThrow(() -> elsewhere("the index that ON CONFLICT names"));
    List<String> added = added(gsi.columns());
    List<String> both = new ArrayList<>(gsi.columns());
    both.addAll(added);
    List<SqlEdit> edits = List.of();
    if (unique().noneMatch(u -> u.usable() && sameColumns(u.columns(), gsi.columns()))) {
      if (unique().noneMatch(u -> u.usable() && sameColumns(u.columns(), both))) {
        throw ErrorCode.WRITE_ON_CONFLICT.because(
            "no unique index of %s is over the columns of index %s, with or without the shard key"
                .formatted(table.name(), gsi.name()));
      }
      String names =
          added.stream().map(Identifiers::quote).collect(Collectors.joining(", ")) + ", ";
      edits = List.of(new SqlEdit(conflict.first(), names));
    }
    return Optional.of(new TakenKeys(Set.of(gsi.name()), edits));
  }

  private static boolean sameColumns(List<String> one, List<String> other) {
    return Set.copyOf(one).equals(Set.copyOf(other));
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

  private Stream<UniqueKey> unique() {
    return Optional.of(table).flatMap(DeclaredTable::schema).stream()
        .flatMap(s -> s.uniqueKeys().stream());
  }
}
