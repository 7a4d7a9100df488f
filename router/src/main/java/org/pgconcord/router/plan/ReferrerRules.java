package org.pgconcord.router.plan;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.pgconcord.config.catalog.RoutingState;
import org.pgconcord.config.check.ReferrerCheck;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.schema.TableSchema;
import org.pgconcord.config.topology.Gsi;
import org.pgconcord.config.topology.Referrer;
import org.pgconcord.router.analyse.DeclaredTable;
import org.pgconcord.router.sql.ConflictView;
import org.pgconcord.router.sql.StatementView;

/** What holds for writes of a table that lists indexes of other tables. */
final class ReferrerRules {
  private final PlanInput input;
  private final DeclaredTable table;
  private final List<Referrer> declared;

  ReferrerRules(PlanInput input, DeclaredTable table) {
    this.input = input;
    this.table = table;
    this.declared = input.database().referencesOf(table.name());
  }

  /**
   * The indexes to which new rows must point; those that are not maintained are not checked.
   *
   * @throws org.pgconcord.config.error.ConcordException when the columns cannot be compared
   */
  List<Referrer> checked() {
    List<Referrer> checked = declared.stream().filter(this::maintained).toList();
    checked.forEach(this::requireComparable);
    return checked;
  }

  private boolean maintained(Referrer referrer) {
    return input.context().state().status(referrer.gsi()).state().maintained();
  }

  private void requireComparable(Referrer referrer) {
    RoutingState state = input.context().state();
    Gsi gsi = state.topology().gsi(referrer.gsi()).orElseThrow(() -> unusable(referrer, "is gone"));
    Optional<TableSchema> owner = state.schema(input.database().name(), gsi.owner());
    String misfit =
        table.schema().isEmpty() || owner.isEmpty()
            ? "is not on the shards"
            : ReferrerCheck.misfit(referrer, table.schema().get(), gsi, owner.get()).orElse("");
    if (!misfit.isEmpty()) {
      throw unusable(referrer, misfit);
    }
  }

  private RuntimeException unusable(Referrer referrer, String why) {
    return ErrorCode.GSI_UNUSABLE.because(
        "table %s cannot be checked against index %s: %s"
            .formatted(table.name(), referrer.gsi(), why));
  }

  /** A declared column is never updated, whatever the index's state. */
  void checkUpdate(StatementView.Update update) {
    refuseAssigned(update.assigned());
  }

  /** New rows are checked and rows that were there are not, so the two must be told apart. */
  void checkConflict(ConflictView conflict) {
    refuseAssigned(conflict.assigned());
    boolean partitioned = table.schema().filter(s -> s.relkind() == 'r').isEmpty();
    if (conflict.updates() && partitioned && declared.stream().anyMatch(this::maintained)) {
      throw ErrorCode.WRITE_ON_CONFLICT.because(
          "%s is partitioned, so that new rows are not told from updated ones"
              .formatted(table.name()));
    }
  }

  private void refuseAssigned(List<String> assigned) {
    for (Referrer referrer : declared) {
      Set<String> columns = new HashSet<>(referrer.columns());
      columns.retainAll(assigned);
      if (!columns.isEmpty()) {
        throw ErrorCode.WRITE_DECLARED_COLUMN
            .because(
                "column \"%s\" of table %s refers to index %s"
                    .formatted(columns.iterator().next(), table.name(), referrer.gsi()))
            .withDetail("The index is owned by another table; its mapping is checked at INSERT.")
            .withHint("DELETE the row and INSERT it anew.");
      }
    }
  }
}
