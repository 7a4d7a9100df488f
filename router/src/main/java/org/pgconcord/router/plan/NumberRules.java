package org.pgconcord.router.plan;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.schema.Column;
import org.pgconcord.config.schema.Numbering;
import org.pgconcord.router.analyse.DeclaredTable;
import org.pgconcord.router.analyse.Relation;
import org.pgconcord.router.sql.Clauses;
import org.pgconcord.router.sql.CommandKind;
import org.pgconcord.router.sql.QueryView;
import org.pgconcord.router.sql.StatementView;

/**
 * Columns of sharded tables whose default is a sequence: the router numbers them, since each
 * shard's own sequence would give the same numbers (docs/decisions/0015). What would take a number
 * from a shard's sequence in another way is refused.
 */
final class NumberRules {
  private final PlanInput input;
  private final NumberCalls calls;

  NumberRules(PlanInput input) {
    this.input = input;
    this.calls = new NumberCalls(input);
  }

  /** The same without calls of {@code currval} whose numbers the session itself knows. */
  PlanInput withoutKnown(PlanInput statement) {
    return calls.knowsCurrent()
        ? statement.withCalls(
            statement.calls().stream().filter(c -> !c.name().equals("currval")).toList())
        : statement;
  }

  /** Refuses any call for a number, where a statement is run for another one. */
  void refuseCalls() {
    calls.all().stream()
        .findFirst()
        .ifPresent(
            call -> {
              throw NumberCalls.refused(call);
            });
  }

  /** The numbers that a statement on no declared table needs; empty when it needs none. */
  Optional<NumberEdits> undeclared(CommandKind kind) {
    return calls.edits(kind);
  }

  /** The numbers that a statement needs; empty when it needs none. */
  Optional<NumberEdits> edits(CommandKind kind, StatementView view) {
    List<NumberCalls.Call> left = new ArrayList<>(calls.all());
    NumberEdits all = new NumberEdits(List.of(), List.of());
    Map<String, Integer> newRows = new HashMap<>();
    for (QueryView.Cte cte : view.scope().with()) {
      if (cte.write().isPresent()) {
        StatementView write = cte.write().get();
        all = all.and(written(write, true, newRows, left));
        if (write instanceof StatementView.Insert insert) {
          newRows.put(cte.name(), insert.rows().size());
        }
      }
    }
    all = all.and(written(view, false, newRows, left));
    if (all.slots().isEmpty() && !(view instanceof StatementView.Insert)) {
      return calls.edits(kind);
    } else if (!left.isEmpty()) {
      throw NumberCalls.refused(left.get(0));
    }
    return all.slots().isEmpty() ? Optional.empty() : Optional.of(all);
  }

  /** What a statement, or a CTE of it, needs by itself. */
  private NumberEdits written(
      StatementView view, boolean cte, Map<String, Integer> newRows, List<NumberCalls.Call> left) {
    if (view instanceof StatementView.Update update) {
      refuseDefault(update, update.assigned());
    } else if (view instanceof StatementView.Insert insert) {
      insert.conflict().ifPresent(conflict -> refuseDefault(insert, conflict.assigned()));
      Optional<DeclaredTable> table = sharded(insert);
      List<Column> columns = table.map(NumberRules::numbered).orElse(List.of());
      if (!columns.isEmpty() || !left.isEmpty()) {
        return new NumberedInsert(
                input, calls, insert, table, columns, cte ? part(insert) : whole(), newRows)
            .edits(left);
      }
    }
    return new NumberEdits(List.of(), List.of());
  }

  private Clauses.Range whole() {
    return new Clauses.Range(1, input.tokens().size());
  }

  /** The INSERT of a CTE, from its target on. */
  private Clauses.Range part(StatementView.Insert insert) {
    int target = insert.target().token();
    Clauses.Range within = input.clauses().around(Math.max(0, target));
    if (target < 0 || within.to() == input.tokens().size()) {
      throw ErrorCode.SQL_UNREADABLE.because("an INSERT within WITH is not found in its text");
    }
    return new Clauses.Range(target, within.to());
  }

  // --- what is not numbered --------------------------------------------------------------------

  /** Refuses what leaves a column to a sequence that counts on each shard. */
  static void refuseUnlessGiven(DeclaredTable table, List<String> given, String what) {
    numbered(table).stream()
        .filter(c -> !given.contains(c.name()))
        .findFirst()
        .ifPresent(
            c -> {
              throw ErrorCode.WRITE_NUMBER.because(
                  "%s leaves column \"%s\" of %s to its sequence"
                      .formatted(what, c.name(), table.name()));
            });
  }

  private void refuseDefault(StatementView write, List<String> assigned) {
    if (!input.clauses().has("default")) {
      return;
    }
    sharded(write).stream()
        .flatMap(t -> numbered(t).stream())
        .filter(c -> assigned.contains(c.name()))
        .findFirst()
        .ifPresent(
            c -> {
              throw ErrorCode.WRITE_NUMBER.because(
                  "column \"%s\", whose default is a sequence, may be set to DEFAULT"
                      .formatted(c.name()));
            });
  }

  private Optional<DeclaredTable> sharded(StatementView write) {
    return write
        .written()
        .flatMap(
            target ->
                input.names().find(target.name()) instanceof Relation.Declared declared
                        && declared.table().sharded()
                    ? Optional.of(declared.table())
                    : Optional.empty());
  }

  /** The columns that a sequence numbers, one that no router can follow included. */
  static List<Column> numbered(DeclaredTable table) {
    return table.schema().stream()
        .flatMap(s -> s.columns().stream())
        .filter(c -> c.numbering().isPresent())
        .toList();
  }

  /** The columns that an INSERT ... SELECT leaves to sequences, or without a list may leave. */
  static List<NumberedColumn> leftOut(
      PlanInput input, DeclaredTable table, StatementView.Insert insert) {
    return numbered(table).stream()
        .filter(c -> !insert.columns().contains(c.name()))
        .map(
            c ->
                new NumberedColumn(
                    c.name(), sequence(input, table, c), c.numbering().orElseThrow().always()))
        .toList();
  }

  /**
   * The sequence of a column.
   *
   * @throws org.pgconcord.config.error.ConcordException where no router can follow it
   */
  static NumberedSequence sequence(PlanInput input, DeclaredTable table, Column column) {
    Numbering numbering = column.numbering().orElseThrow();
    if (numbering.unfit().isPresent()) {
      throw ErrorCode.WRITE_NUMBER.because(
          "column \"%s\" of %s cannot be numbered: %s"
              .formatted(column.name(), table.name(), numbering.unfit().get()));
    }
    return java.util.Objects.requireNonNull(NumberedSequence.all(input).get(numbering.sequence()));
  }
}
