package org.pgconcord.router.plan;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.schema.TableSchema;
import org.pgconcord.config.topology.Gsi;
import org.pgconcord.router.analyse.DeclaredTable;
import org.pgconcord.router.analyse.KeyColumn;
import org.pgconcord.router.analyse.ReadFacts;
import org.pgconcord.router.analyse.TableUse;
import org.pgconcord.router.sql.Clauses;
import org.pgconcord.router.sql.Names;
import org.pgconcord.router.sql.PredicateView;
import org.pgconcord.router.sql.QueryView;
import org.pgconcord.router.sql.StatementView;

/** What UPDATE and DELETE on a sharded table must look like. */
final class ChangeRules {
  private final PlanInput input;
  private final DeclaredTable table;
  private final DeclaredTable.ShardKey key;
  private final List<Gsi> gsis;

  ChangeRules(PlanInput input, DeclaredTable table, DeclaredTable.ShardKey key, List<Gsi> gsis) {
    this.input = input;
    this.table = table;
    this.key = key;
    this.gsis = gsis;
  }

  void checkUpdate(StatementView.Update update) {
    Set<String> assigned = new HashSet<>(update.assigned());
    for (KeyColumn column : key.columns()) {
      if (assigned.contains(column.name())) {
        throw ErrorCode.WRITE_SHARD_KEY_COLUMN.because(
            "column \"%s\" is %s shard key of %s"
                .formatted(
                    column.name(), key.columns().size() == 1 ? "the" : "in the", table.name()));
      }
    }
    if (update.from()) {
      gsis.stream()
          .filter(gsi -> !gsi.extended())
          .findFirst()
          .ifPresent(
              gsi -> {
                throw ErrorCode.WRITE_UPDATE_FROM.because(
                    "%s owns index %s".formatted(table.name(), gsi.name()));
              });
    }
  }

  void checkDelete(StatementView.Delete delete, List<Gsi> maintained) {
    maintained.stream()
        .filter(gsi -> delete.using() && !gsi.extended())
        .findFirst()
        .ifPresent(
            gsi -> {
              throw ErrorCode.WRITE_DELETE_USING.because(
                  "%s owns index %s".formatted(table.name(), gsi.name()));
            });
  }

  /**
   * A write that reads no column is not held back by the policies for SELECT; with the columns of
   * entries added to what it returns it would be, and leave out rows without a word (PostgreSQL
   * manual, CREATE POLICY).
   */
  void requireRowsSeen() {
    boolean secured = table.schema().map(TableSchema::rowSecurity).orElse(false);
    if (secured && input.clauses().topLevelWhere().filter(this::readsColumn).isEmpty()) {
      throw ErrorCode.WRITE_ROW_SECURITY.because(
          "%s has row security, and no condition reads a column of it".formatted(table.name()));
    }
  }

  private boolean readsColumn(Clauses.Range condition) {
    return IntStream.range(condition.from(), condition.to())
        .filter(i -> input.tokens().kind(i).isName())
        .anyMatch(
            i -> table.schema().flatMap(s -> s.column(Names.of(input.tokens(), i))).isPresent());
  }

  /**
   * Whether the values can tell one shard, to which the statement can go whole. Else it may go to
   * all shards, when nothing but the target is read and no index names the rows.
   */
  boolean pinned(QueryView scope, ReadFacts facts) {
    if (facts.pinned() && facts.sharded().stream().anyMatch(u -> u.table().equals(table))) {
      return true;
    }
    Optional<TableUse> target =
        facts.sharded().stream().filter(u -> u.table().equals(table) && !u.pinned()).findFirst();
    if (target.isEmpty()) {
      throw ErrorCode.QUERY_CROSS_SHARD.because(
          "the statement reads rows of other shards than the one it writes to");
    }
    for (Gsi gsi : gsis) {
      if (!gsi.extended()
          && input.context().state().status(gsi.name()).state().maintained()
          && hasEquality(scope, gsi)) {
        throw ErrorCode.WRITE_THROUGH_GSI.because(
            "the rows are named by index %s and not by the shard key %s"
                .formatted(gsi.name(), key.names()));
      }
    }
    if (alone(facts) || joinsOwnShard(facts) || readsOwnShard(facts)) {
      return false;
    }
    throw ErrorCode.WRITE_NO_SHARD_KEY.because(unpinned(target.get()));
  }

  /** Each shard can do its part by itself. */
  boolean alone(ReadFacts facts) {
    return facts.sharded().size() == 1
        && facts.local().isEmpty()
        && facts.references().isEmpty()
        && !input.clauses().has("select");
  }

  /** Each of its rows is joined with rows of its own shard and of reference tables. */
  boolean joinsOwnShard(ReadFacts facts) {
    return facts.colocated()
        && facts.local().isEmpty()
        && !input.clauses().has("select")
        && facts.sharded().size() + facts.references().size() > 1;
  }

  /** What subqueries see for each of its rows is on the row's own shard. */
  boolean readsOwnShard(ReadFacts facts) {
    return facts.byShard()
        && facts.local().isEmpty()
        && input.clauses().has("select")
        && new Subqueries(input, facts).areOfOneShard();
  }

  private static String unpinned(TableUse target) {
    List<String> columns = target.unpinned();
    return columns.isEmpty()
        ? target.whyNot()
        : "the WHERE clause has no equality with a constant on shard-key column%s \"%s\" of table %s"
            .formatted(
                columns.size() == 1 ? "" : "s",
                String.join("\", \"", columns),
                target.table().name());
  }

  private static boolean hasEquality(QueryView scope, Gsi gsi) {
    return scope.blocks().stream()
        .flatMap(b -> b.where().stream())
        .filter(p -> p instanceof PredicateView.OneOf)
        .map(p -> ((PredicateView.OneOf) p).column().name())
        .collect(Collectors.toSet())
        .containsAll(gsi.columns());
  }
}
