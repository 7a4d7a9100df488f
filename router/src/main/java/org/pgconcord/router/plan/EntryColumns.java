package org.pgconcord.router.plan;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.pgconcord.config.schema.TableSchema;
import org.pgconcord.config.topology.Gsi;
import org.pgconcord.config.value.Identifiers;
import org.pgconcord.router.analyse.DeclaredTable;
import org.pgconcord.router.sql.SqlEdit;

/** The columns that a write returns so that entries can be derived (PROTOCOL 1.1). */
final class EntryColumns {
  private EntryColumns() {}

  /** Empty when no index of the table is maintained. */
  static Optional<EntryWork> work(
      PlanInput input, String alias, DeclaredTable table, List<Gsi> maintained) {
    if (maintained.isEmpty()) {
      return Optional.empty();
    }
    Set<String> columns = new LinkedHashSet<>();
    maintained.forEach(g -> columns.addAll(g.columns()));
    maintained.forEach(g -> columns.addAll(g.ownerShardKey()));
    maintained.forEach(g -> columns.addAll(g.ownerPrimaryKey()));
    columns.addAll(table.schema().map(TableSchema::primaryKey).orElse(List.of()));
    String list =
        columns.stream()
            .map(c -> Identifiers.quote(alias) + "." + Identifiers.quote(c))
            .collect(Collectors.joining(", "));
    boolean returns = input.clauses().topLevelReturning().isPresent();
    SqlEdit edit = new SqlEdit(input.tokens().size(), (returns ? ", " : " RETURNING ") + list);
    return Optional.of(new EntryWork(maintained, List.copyOf(columns), returns, List.of(edit)));
  }
}
