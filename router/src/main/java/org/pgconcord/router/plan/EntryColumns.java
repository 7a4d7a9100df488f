package org.pgconcord.router.plan;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.pgconcord.config.schema.Column;
import org.pgconcord.config.schema.TableSchema;
import org.pgconcord.config.sharding.KeyType;
import org.pgconcord.config.topology.Gsi;
import org.pgconcord.config.topology.Referrer;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.Identifiers;
import org.pgconcord.router.analyse.DeclaredTable;
import org.pgconcord.router.sql.Clauses;
import org.pgconcord.router.sql.FromView;
import org.pgconcord.router.sql.SqlEdit;

/** The columns that a write returns so that entries can be derived. */
final class EntryColumns {
  private EntryColumns() {}

  /** For a DELETE. Empty when no index of the table is maintained. */
  static Optional<EntryWork> work(
      PlanInput input, String alias, DeclaredTable table, List<Gsi> maintained) {
    return work(input, alias, table, maintained, List.of());
  }

  /**
   * For an INSERT.
   *
   * @param references the maintained indexes of other tables that the table lists
   */
  static Optional<EntryWork> work(
      PlanInput input,
      String alias,
      DeclaredTable table,
      List<Gsi> maintained,
      List<Referrer> references) {
    if (maintained.isEmpty() && references.isEmpty()) {
      return Optional.empty();
    }
    Set<String> columns = new LinkedHashSet<>();
    maintained.forEach(g -> columns.addAll(g.columns()));
    maintained.forEach(g -> columns.addAll(g.ownerShardKey()));
    maintained.forEach(g -> columns.addAll(g.ownerPrimaryKey()));
    references.forEach(r -> columns.addAll(r.columns()));
    columns.addAll(table.schema().map(TableSchema::primaryKey).orElse(List.of()));
    String list = list(alias, table, columns);
    boolean returns = input.clauses().topLevelReturning().isPresent();
    SqlEdit edit = new SqlEdit(input.tokens().size(), (returns ? ", " : " RETURNING ") + list);
    return Optional.of(
        new EntryWork(
            maintained, references, List.copyOf(columns), returns, edit, Optional.empty()));
  }

  /**
   * For an INSERT that may update rows instead: says of each row which of them it is. A row that
   * was there carries in {@code xmax} the lock that the update took on it; a new one has none.
   */
  static Optional<EntryWork> upserted(
      PlanInput input,
      String alias,
      DeclaredTable table,
      List<Gsi> maintained,
      List<Referrer> references) {
    return work(input, alias, table, maintained, references)
        .map(
            work -> {
              List<String> columns = new ArrayList<>(work.columns());
              columns.add(EntryWork.UPDATED_ROWS);
              String flag =
                  ", %s.xmax OPERATOR(pg_catalog.=) 0".formatted(Identifiers.quote(alias));
              SqlEdit edit = new SqlEdit(work.edit().token(), work.edit().text() + flag);
              return new EntryWork(
                  work.gsis(),
                  work.references(),
                  columns,
                  work.clientReturns(),
                  edit,
                  Optional.empty());
            });
  }

  /** The same columns of rows that are there, as an item list of SELECT. */
  static String images(String alias, DeclaredTable table, EntryWork work) {
    return list(
        alias,
        table,
        work.columns().stream().filter(c -> !c.equals(EntryWork.UPDATED_ROWS)).toList());
  }

  /** Strict indexes of which a statement assigns no column: their entries may not change. */
  static Set<GsiName> fixed(List<Gsi> maintained, Collection<String> assigned) {
    return maintained.stream()
        .filter(g -> !g.extended() && Collections.disjoint(g.columns(), assigned))
        .map(Gsi::name)
        .collect(Collectors.toSet());
  }

  /** For an UPDATE that may change entries: with the same columns of the rows before it. */
  static Optional<EntryWork> changed(
      PlanInput input,
      FromView.Named target,
      DeclaredTable table,
      List<Gsi> maintained,
      Collection<String> assigned) {
    Set<GsiName> fixed = fixed(maintained, assigned);
    Clauses.Range within = new Clauses.Range(1, input.tokens().size());
    return work(input, target.alias(), table, maintained)
        .map(
            w ->
                w.of(
                    OldRows.ofUpdate(
                        input, target, within, images(target.alias(), table, w), fixed)));
  }

  private static String list(String alias, DeclaredTable table, Collection<String> columns) {
    return columns.stream()
        .map(c -> text(table, c, Identifiers.quote(alias) + "." + Identifiers.quote(c)))
        .collect(Collectors.joining(", "));
  }

  /**
   * The client's DateStyle, TimeZone and bytea_output decide how its session prints a value; what
   * entries are made of must not depend on them.
   */
  private static String text(DeclaredTable table, String name, String column) {
    Optional<KeyType> type = table.schema().flatMap(s -> s.column(name)).flatMap(Column::keyType);
    return switch (type.orElse(KeyType.TEXT)) {
      case BYTEA -> "'\\x' OPERATOR(pg_catalog.||) pg_catalog.encode(%s, 'hex')".formatted(column);
      case DATE, TIMESTAMP -> iso(column);
      case TIMESTAMPTZ ->
          "CASE WHEN pg_catalog.isfinite(%1$s) THEN %2$s OPERATOR(pg_catalog.||) '+00' ELSE %3$s END"
              .formatted(column, iso("pg_catalog.timezone('UTC', " + column + ")"), iso(column));
      default -> column;
    };
  }

  /** Text in JSON is ISO 8601 under all settings. */
  private static String iso(String column) {
    return "pg_catalog.replace(pg_catalog.to_jsonb(%s) OPERATOR(pg_catalog.#>>) '{}', 'T', ' ')"
        .formatted(column);
  }
}
