package org.pgconcord.router.plan;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.pgconcord.config.catalog.CopiedTable;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.schema.Column;
import org.pgconcord.config.schema.TableSchema;
import org.pgconcord.config.topology.Placement;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.analyse.DeclaredTable;
import org.pgconcord.router.analyse.ReadFacts;
import org.pgconcord.router.plan.StatementFacts.Command;
import org.pgconcord.router.sql.Names;
import org.pgconcord.router.sql.StatementView;
import org.pgconcord.router.sql.Tokens;

/**
 * Plans a write of a reference table: the statement runs on the leading copy, whose changed rows go
 * to the others by value. What it reads must be on the leader's shard; that is all that has to be
 * known of its expressions.
 */
final class CopyWrites {
  private final PlanInput input;
  private final StatementView view;
  private final ReadFacts facts;
  private final DeclaredTable table;
  private final List<ShardId> copies;

  CopyWrites(
      PlanInput input,
      StatementView view,
      ReadFacts facts,
      DeclaredTable table,
      Placement.Reference placement) {
    this.input = input;
    this.view = view;
    this.facts = facts;
    this.table = table;
    this.copies = placement.shards().stream().sorted().toList();
  }

  Plan plan(Command command, Plan.WriteKind kind) {
    requireReadsOnLeader();
    new CodeRules(input).onShard(Optional.of(leader()));
    StatementFacts statement =
        new StatementFacts(command, true, List.of(table.name()), List.of(), otherMarks());
    if (copies.size() == 1) {
      return new Plan.Unsharded(statement, leader());
    }
    if (input.context().fixedSnapshot()) {
      throw Plan.CopyWrite.needsReadCommitted();
    }
    return new Plan.CopyWrite(
        statement,
        kind,
        new CopiedTable(input.context().database(), table.name()),
        leader(),
        copies.subList(1, copies.size()),
        work(writable(table)));
  }

  private ShardId leader() {
    return copies.get(0);
  }

  private void requireReadsOnLeader() {
    if (!facts.sharded().isEmpty()) {
      throw ErrorCode.WRITE_REFERENCE_READS.because(
          "%s would be written by what sharded table %s says on one shard"
              .formatted(table.name(), facts.sharded().get(0).table().name()));
    }
    if (facts.local().stream().anyMatch(s -> !s.equals(leader()))) {
      throw ErrorCode.QUERY_CROSS_SHARD.because(
          "%s is written from its copy on shard %s, the tables read are elsewhere"
              .formatted(table.name(), leader()));
    }
    for (DeclaredTable reference : facts.references()) {
      if (!((Placement.Reference) reference.placement()).shards().contains(leader())) {
        throw ErrorCode.QUERY_CROSS_SHARD.because(
            "reference table %s has no copy on shard %s".formatted(reference.name(), leader()));
      }
    }
  }

  /** Marks of the table's own copies do not keep it from being written. */
  private StaleCopies otherMarks() {
    Set<DeclaredTable> others = new HashSet<>(facts.references());
    others.removeIf(reference -> reference.name().equals(table.name()));
    return StaleCopies.of(input, others);
  }

  /**
   * The table as its copies have it, when rows can be carried from one to the others.
   *
   * @throws org.pgconcord.config.error.ConcordException when they cannot
   */
  static TableSchema writable(DeclaredTable table) {
    TableSchema schema =
        table
            .schema()
            .orElseThrow(
                () ->
                    ErrorCode.SCHEMA_NOT_READ.because(
                        "table %s is not on the shards as declared".formatted(table.name())));
    if (schema.primaryKey().isEmpty()) {
      throw ErrorCode.WRITE_REFERENCE_FORM.because(
          "%s has no primary key, by which rows are found on the other copies"
              .formatted(table.name()));
    }
    if (schema.hiddenEffects()) {
      throw ErrorCode.WRITE_REFERENCE_FORM.because(
          "%s has a rule, or a trigger that fires after its rows are stored"
              .formatted(table.name()));
    }
    return schema;
  }

  private CopyWork work(TableSchema schema) {
    boolean returns = input.clauses().topLevelReturning().isPresent();
    int end = input.tokens().size();
    CopyColumns columns = new CopyColumns(table.name(), schema);
    if (view instanceof StatementView.Insert insert) {
      String alias = insert.target().alias();
      if (insert.conflict().isPresent() && updatesOnConflict(schema)) {
        return columns.upsert(alias, returns, end);
      }
      return columns.insert(alias, returns, end, given(insert, schema));
    } else if (view instanceof StatementView.Update update) {
      requireKeyStays(schema, new TreeSet<>(update.assigned()));
      return columns.update(
          update.target().alias(), returns, end, new HashSet<>(update.assigned()));
    }
    return columns.delete(((StatementView.Delete) view).target().alias(), returns, end);
  }

  private static List<String> given(StatementView.Insert insert, TableSchema schema) {
    boolean all = insert.columns().isEmpty() && insert.source() != StatementView.Source.DEFAULTS;
    return all ? schema.columns().stream().map(Column::name).toList() : insert.columns();
  }

  private void requireKeyStays(TableSchema schema, Set<String> assigned) {
    assigned.retainAll(schema.primaryKey());
    if (!assigned.isEmpty()) {
      throw ErrorCode.WRITE_REFERENCE_FORM.because(
          "column \"%s\" is part of the primary key of %s, by which rows are found on the other copies"
              .formatted(assigned.iterator().next(), table.name()));
    }
  }

  /**
   * DO UPDATE rather than DO NOTHING. The view says nothing of the clause, so its tokens are looked
   * at: a primary-key column may only be named behind a dot, and nothing is read from elsewhere.
   */
  private boolean updatesOnConflict(TableSchema schema) {
    Tokens tokens = input.tokens();
    int end = input.clauses().topLevelReturning().map(r -> r.from() - 1).orElse(tokens.size());
    int conflict = 0;
    while (!(tokens.isWord(conflict, "on") && tokens.isWord(conflict + 1, "conflict"))) {
      conflict++;
    }
    int set = conflict;
    while (set < end && !(tokens.isWord(set, "update") && tokens.isWord(set + 1, "set"))) {
      set++;
    }
    for (int i = conflict; i < end; i++) {
      if (tokens.isWord(i, "select")) {
        throw ErrorCode.WRITE_REFERENCE_FORM.because("a subquery stands in ON CONFLICT");
      }
      boolean bare = tokens.kind(i).isName() && !tokens.isSymbol(i - 1, ".");
      if (i > set && bare && schema.primaryKey().contains(Names.of(tokens, i))) {
        requireKeyStays(schema, new TreeSet<>(Set.of(Names.of(tokens, i))));
      }
    }
    return set < end;
  }
}
