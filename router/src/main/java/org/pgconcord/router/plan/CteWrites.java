package org.pgconcord.router.plan;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.schema.Column;
import org.pgconcord.config.schema.TableSchema;
import org.pgconcord.config.topology.Gsi;
import org.pgconcord.config.value.Identifiers;
import org.pgconcord.router.analyse.DeclaredTable;
import org.pgconcord.router.sql.Clauses;
import org.pgconcord.router.sql.ConflictView;
import org.pgconcord.router.sql.ConstantView;
import org.pgconcord.router.sql.FromView;
import org.pgconcord.router.sql.StatementView;
import org.pgconcord.router.sql.StatementView.ValueView;
import org.pgconcord.router.sql.Tokens;

/**
 * Which parts of a statement with WITH may change entries, and how their rows are known
 * (docs/decisions/0019).
 */
final class CteWrites {
  private final PlanInput input;
  private final WithItems items;

  CteWrites(PlanInput input, WithItems items) {
    this.input = input;
    this.items = items;
  }

  /**
   * A part that changes entries.
   *
   * @param name how to call it
   * @param arbiter the columns of the index that ON CONFLICT of an INSERT names, where it is known
   */
  CteWrite part(
      String name,
      StatementView write,
      DeclaredTable table,
      List<Gsi> maintained,
      Optional<List<String>> arbiter) {
    FromView.Named target = write.written().orElseThrow();
    if (target.token() < 0) {
      throw ErrorCode.SQL_UNREADABLE.because("the target of " + name + " is not found in its text");
    }
    TableSchema schema = table.schema().orElseThrow();
    requireKnown(name, write, table, schema);
    EntryWork work =
        EntryColumns.work(input, target.alias(), table, maintained)
            .orElseThrow(() -> new IllegalStateException("no index is maintained"));
    return new CteWrite(
        name,
        kind(write),
        work,
        table.name(),
        target.alias(),
        EntryColumns.images(target.alias(), table, work),
        primaryKey(schema, work),
        old(name, write, table, work),
        write instanceof StatementView.Insert insert ? inserted(name, insert, schema) : List.of(),
        write instanceof StatementView.Insert insert && insert.conflict().isPresent(),
        write instanceof StatementView.Insert insert
            ? met(name, insert, table, work, arbiter)
            : Optional.empty());
  }

  private static Plan.WriteKind kind(StatementView write) {
    if (write instanceof StatementView.Insert) {
      return Plan.WriteKind.INSERT;
    }
    return write instanceof StatementView.Update ? Plan.WriteKind.UPDATE : Plan.WriteKind.DELETE;
  }

  /** Rows are locked as an UPDATE would, and found again by a key that the statement leaves. */
  private static void requireKnown(
      String name, StatementView write, DeclaredTable table, TableSchema schema) {
    if (schema.rowSecurity()) {
      throw ErrorCode.WRITE_CTE.because(
          "%s changes entries of %s, which has row security".formatted(name, table.name()));
    } else if (schema.primaryKey().isEmpty()) {
      throw ErrorCode.WRITE_CTE.because(
          "%s changes entries of %s, which has no primary key".formatted(name, table.name()));
    } else if (write instanceof StatementView.Update update) {
      requireKeyLeft(name, update.assigned(), table);
    }
  }

  /** Of a table of which a part of the statement changes entries. */
  static void requireKeyLeft(String name, Collection<String> assigned, DeclaredTable table) {
    Set<String> key = new HashSet<>(table.schema().map(TableSchema::primaryKey).orElse(List.of()));
    if (!Collections.disjoint(key, assigned)) {
      throw ErrorCode.WRITE_CTE.because(
          "%s updates the primary key of %s, and entries of its rows change in a statement with WITH"
              .formatted(name, table.name()));
    }
  }

  private static List<CteWrite.KeyPart> primaryKey(TableSchema schema, EntryWork work) {
    return schema.primaryKey().stream()
        .map(
            column ->
                new CteWrite.KeyPart(
                    column,
                    work.columns().indexOf(column),
                    schema.column(column).map(c -> c.base().type()).orElseThrow()))
        .toList();
  }

  // --- UPDATE and DELETE -----------------------------------------------------------------------

  private Optional<OldRows> old(
      String name, StatementView write, DeclaredTable table, EntryWork work) {
    if (write instanceof StatementView.Insert) {
      return Optional.empty();
    }
    FromView.Named target = write.written().orElseThrow();
    int start = OldRows.start(input, target);
    Clauses.Range within = new Clauses.Range(start, input.clauses().around(start).to());
    String columns = EntryColumns.images(target.alias(), table, work);
    OldRows rows =
        write instanceof StatementView.Update
            ? OldRows.ofUpdate(input, target, within, columns, Set.of())
            : OldRows.ofDelete(input, target, within, columns);
    List<Clauses.Range> read =
        Stream.concat(rows.others().stream(), rows.where().stream()).toList();
    List<Clauses.Range> ctes =
        items
            .readBy(read)
            .orElseThrow(
                () ->
                    ErrorCode.WRITE_CTE.because(
                        "the condition of %s reads what another part of the statement writes, and it changes entries of %s"
                            .formatted(name, table.name())));
    if (!ctes.isEmpty() && items.has(target.name().get(target.name().size() - 1))) {
      throw ErrorCode.WRITE_CTE.because(
          "a CTE has the name of table %s, of which entries change".formatted(table.name()));
    }
    return Optional.of(rows.reading(ctes, input.tokens().isWord(1, "recursive")));
  }

  // --- INSERT ----------------------------------------------------------------------------------

  private List<List<Clauses.Range>> inserted(
      String name, StatementView.Insert insert, TableSchema schema) {
    if (insert.source() != StatementView.Source.VALUES) {
      throw ErrorCode.WRITE_CTE.because(
          "%s inserts rows into %s, which owns a maintained index, and is no INSERT ... VALUES"
              .formatted(name, schema.name()));
    }
    return constants(name, insert, schema, schema.primaryKey());
  }

  /** What each row has for these columns. */
  private List<List<Clauses.Range>> constants(
      String name, StatementView.Insert insert, TableSchema schema, List<String> wanted) {
    List<String> columns =
        insert.columns().isEmpty()
            ? schema.columns().stream().map(Column::name).toList()
            : insert.columns();
    List<Integer> places = wanted.stream().map(columns::indexOf).toList();
    for (List<ValueView> row : insert.rows()) {
      if (!places.stream().allMatch(at -> at >= 0 && at < row.size() && isValue(row.get(at)))) {
        throw ErrorCode.WRITE_CTE.because(
            "%s does not give each row of %s its values of %s as constants"
                .formatted(name, schema.name(), String.join(", ", wanted)));
      }
    }
    return rows(insert).stream().map(values -> places.stream().map(values::get).toList()).toList();
  }

  private Optional<ConflictRows> met(
      String name,
      StatementView.Insert insert,
      DeclaredTable table,
      EntryWork work,
      Optional<List<String>> arbiter) {
    if (insert.conflict().filter(ConflictView::updates).isEmpty()) {
      return Optional.empty();
    }
    TableSchema schema = table.schema().orElseThrow();
    List<ConflictRows.Key> keys =
        arbiter.stream()
            .flatMap(List::stream)
            .flatMap(column -> schema.column(column).stream())
            .filter(column -> column.keyType().isPresent() && !column.generated())
            .map(column -> new ConflictRows.Key(column.name(), column.base().type()))
            .toList();
    if (keys.isEmpty() || keys.size() != arbiter.get().size()) {
      throw ErrorCode.WRITE_CTE.because(
          "ON CONFLICT DO UPDATE of %s names no index over plain columns of %s, which owns a maintained index"
              .formatted(name, table.name()));
    }
    Clauses clauses = input.clauses();
    int action = insert.conflict().get().action();
    Clauses.Range within = new Clauses.Range(action, clauses.around(action).to());
    int end = clauses.next(within, "returning");
    int where = clauses.next(within, "where", "returning");
    String alias = insert.target().alias();
    return Optional.of(
        new ConflictRows(
            table.name().quoted() + " AS " + Identifiers.quote(alias),
            alias,
            EntryColumns.images(alias, table, work),
            keys,
            constants(name, insert, schema, arbiter.get()),
            where < end ? Optional.of(new Clauses.Range(where + 1, end)) : Optional.empty(),
            end,
            Set.of()));
  }

  private static boolean isValue(ValueView value) {
    return value instanceof ValueView.Constant constant
        && !(constant.value() instanceof ConstantView.Null);
  }

  /** The tokens of each row's values. */
  private List<List<Clauses.Range>> rows(StatementView.Insert insert) {
    Tokens tokens = input.tokens();
    int target = insert.target().token();
    Clauses.Range within = new Clauses.Range(target, input.clauses().around(target).to());
    int at = input.clauses().next(within, "values") + 1;
    List<List<Clauses.Range>> rows = new ArrayList<>();
    for (List<ValueView> row : insert.rows()) {
      int close = input.clauses().close(at);
      List<Clauses.Range> values =
          close < 0 ? List.of() : input.clauses().items(new Clauses.Range(at + 1, close));
      boolean last = rows.size() == insert.rows().size() - 1;
      if (values.size() != row.size() || tokens.isSymbol(close + 1, ",") == last) {
        throw ErrorCode.SQL_UNREADABLE.because("the rows of VALUES are not found in their text");
      }
      rows.add(values);
      at = close + 2;
    }
    return rows;
  }
}
