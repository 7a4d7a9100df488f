package org.pgconcord.router.plan;

import java.util.List;
import java.util.Optional;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.topology.Gsi;
import org.pgconcord.config.topology.Placement;
import org.pgconcord.router.analyse.DeclaredTable;
import org.pgconcord.router.analyse.ReadAnalysis;
import org.pgconcord.router.analyse.ReadFacts;
import org.pgconcord.router.sql.StatementView;

/** Plans INSERT into a sharded table. */
final class ShardedInserts {
  private final PlanInput input;
  private final StatementView.Insert insert;
  private final ReadFacts facts;
  private final DeclaredTable table;
  private final DeclaredTable.ShardKey key;
  private final Placement.Sharded placement;
  private final InsertRules rules;

  ShardedInserts(
      PlanInput input,
      StatementView.Insert insert,
      ReadFacts facts,
      DeclaredTable table,
      DeclaredTable.ShardKey key) {
    this.input = input;
    this.insert = insert;
    this.facts = facts;
    this.table = table;
    this.key = key;
    this.placement = key.placement();
    this.rules = new InsertRules(input, insert, table, key);
  }

  /**
   * The plan.
   *
   * @param gsis all indexes of the table
   * @param maintained those of them whose entries are kept
   */
  Plan plan(List<Gsi> gsis, List<Gsi> maintained, StatementFacts statement) {
    return plan(gsis, maintained, statement, Optional.empty());
  }

  /**
   * For an INSERT ... SELECT behind CTEs that write nothing: the rows are fetched first.
   *
   * @param instead why one shard cannot do all of it
   */
  Plan behindWith(
      List<Gsi> gsis, List<Gsi> maintained, StatementFacts statement, ConcordException instead) {
    return plan(gsis, maintained, statement, Optional.of(instead));
  }

  private Plan plan(
      List<Gsi> gsis,
      List<Gsi> maintained,
      StatementFacts statement,
      Optional<ConcordException> fetched) {
    new DifferingShards(input).refuseInsert(table, insert);
    Optional<TakenKeys> taken = rules.check(facts, gsis, maintained);
    ReferrerRules referrers = new ReferrerRules(input, table);
    insert.conflict().ifPresent(referrers::checkConflict);
    Refusals.copiesOn(facts, placement.group().shards());
    boolean upsert = rules.conflict().filter(ConflictRules::updates).isPresent();
    String alias = insert.target().alias();
    Optional<EntryWork> entries =
        upsert
            ? EntryColumns.upserted(input, alias, table, maintained, referrers.checked())
            : EntryColumns.work(input, alias, table, maintained, referrers.checked());
    boolean changes =
        rules.conflict().filter(c -> maintained.stream().anyMatch(c::changes)).isPresent();
    if (taken.isPresent() && input.context().fixedSnapshot()) {
      throw Plan.InsertUnlessTaken.needsReadCommitted();
    }
    boolean byEntries = taken.isPresent() || (upsert && changes);
    if (fetched.isPresent()) {
      return gathered(statement, entries, byEntries, fetched.get());
    } else if (byEntries && insert.source() == StatementView.Source.QUERY) {
      return gathered(statement, entries, true, needsRows(what(changes)));
    } else if (upsert && byEntries) {
      return upsert(statement, entries.orElseThrow(), maintained, changes, taken);
    } else if (taken.isPresent()) {
      return unlessTaken(statement, entries.orElseThrow(), taken.get());
    }
    return insert.source() == StatementView.Source.QUERY
        ? selected(statement, entries)
        : write(
            statement,
            rules.pins(facts),
            entries,
            rules
                .split(facts)
                .<Plan>map(rows -> new Plan.InsertInParts(statement, rows, entries, returns()))
                .orElseGet(() -> WritePlanner.severalShards(table)));
  }

  private Plan unlessTaken(StatementFacts statement, EntryWork entries, TakenKeys taken) {
    return new Plan.InsertUnlessTaken(statement, rows(what(false)), entries, returns(), taken);
  }

  private static String what(boolean changes) {
    return changes
        ? "ON CONFLICT DO UPDATE of columns of an index"
        : "ON CONFLICT by a global index";
  }

  private RowSplit rows(String what) {
    return rules.rows(facts).orElseThrow(() -> needsRows(what));
  }

  private static ConcordException needsRows(String what) {
    return ErrorCode.WRITE_ON_CONFLICT.because(
        what + " takes rows of VALUES without subqueries, or of a query with none behind it");
  }

  private Plan upsert(
      StatementFacts statement,
      EntryWork entries,
      List<Gsi> maintained,
      boolean changes,
      Optional<TakenKeys> taken) {
    RowSplit rows = rows(what(changes));
    Optional<ConflictRows> met =
        changes
            ? Optional.of(
                new MetRows(input, insert, table, rules).of(rows, entries, maintained, taken))
            : Optional.empty();
    return new Plan.Upsert(statement, rows, entries, returns(), met, taken.orElse(TakenKeys.NONE));
  }

  private Plan write(
      StatementFacts statement,
      List<ShardBinding.Pin> pins,
      Optional<EntryWork> entries,
      Plan otherwise) {
    return new Plan.Write(
        statement,
        Plan.WriteKind.INSERT,
        table.name(),
        WritePlanner.binding(pins, placement, facts),
        entries,
        otherwise);
  }

  /** Where the rows are made if they can be, else by their values. */
  private Plan selected(StatementFacts statement, Optional<EntryWork> entries) {
    if (!NumberRules.leftOut(input, table, insert).isEmpty()) {
      return gathered(
          statement,
          entries,
          false,
          ErrorCode.WRITE_NUMBER.because(
              "an INSERT ... SELECT of this form leaves a column of %s to its sequence"
                  .formatted(table.name())));
    }
    SelectedRows rows;
    try {
      rows = rules.selected();
      if (!facts.pinned()) {
        return everywhere(statement, rows, entries);
      }
    } catch (ConcordException e) {
      return gathered(statement, entries, false, e);
    }
    return write(statement, rules.pins(rows, facts), entries, wide(statement, rows, entries));
  }

  /** For values that do not lead to one shard. */
  private Plan wide(StatementFacts statement, SelectedRows rows, Optional<EntryWork> entries) {
    try {
      return everywhere(statement, rows, entries);
    } catch (ConcordException e) {
      try {
        return gathered(statement, entries, false, e);
      } catch (ConcordException none) {
        return rows.follows() ? Refusals.refused(e) : WritePlanner.severalShards(table);
      }
    }
  }

  /**
   * The rows by their values.
   *
   * @param byEntries entries decide of their conflicts
   * @param instead what is thrown where that cannot be
   */
  private Plan gathered(
      StatementFacts statement,
      Optional<EntryWork> entries,
      boolean byEntries,
      ConcordException instead) {
    return new GatheredInserts(input, insert, table, key)
        .plan(statement, rules.columns(), entries, byEntries, instead);
  }

  /** Each shard makes the rows that belong on it of its own. */
  private Plan everywhere(
      StatementFacts statement, SelectedRows rows, Optional<EntryWork> entries) {
    if (!rows.follows() || !rows.keys().isEmpty()) {
      throw ErrorCode.WRITE_FROM_QUERY.because(
          "the SELECT reads several shards, and its rows belong on the shard of a constant");
    }
    boolean nothingElse = insert.scope().nested().size() == 1;
    ReadFacts source =
        insert
            .query()
            .filter(query -> nothingElse)
            .map(query -> ReadAnalysis.of(query, input.names()))
            .orElse(facts);
    new EachShard(input, source).checkSelect();
    return new Plan.WriteOnAll(
        statement, Plan.WriteKind.INSERT, placement.group(), Optional.empty(), entries, returns());
  }

  private boolean returns() {
    return input.clauses().topLevelReturning().isPresent();
  }
}
