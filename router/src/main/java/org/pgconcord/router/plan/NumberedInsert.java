package org.pgconcord.router.plan;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.schema.Column;
import org.pgconcord.config.value.Identifiers;
import org.pgconcord.router.analyse.DeclaredTable;
import org.pgconcord.router.sql.Clauses;
import org.pgconcord.router.sql.Names;
import org.pgconcord.router.sql.StatementView;
import org.pgconcord.router.sql.StatementView.ValueView;
import org.pgconcord.router.sql.Tokens;

/**
 * Puts numbers into one INSERT: into columns that are left out, for DEFAULT, and for calls of
 * {@code nextval}. In VALUES every row is evaluated once, so that a number stands for a call.
 */
final class NumberedInsert {
  /** A number for each row is in the text. */
  private static final int NEW_ROWS_MOST = 1_000;

  private final PlanInput input;
  private final Tokens tokens;
  private final NumberCalls calls;
  private final StatementView.Insert insert;
  private final Optional<DeclaredTable> table;
  private final List<Column> columns;
  private final List<String> given;
  private final Clauses.Range within;
  private final Map<String, Integer> newRows;
  private final List<NumberEdits.Edit> edits = new ArrayList<>();
  private final List<NumberEdits.Slot> slots = new ArrayList<>();
  private final List<NumberCalls.Call> replaced = new ArrayList<>();
  private final Map<String, Integer> byColumn = new HashMap<>();

  /**
   * @param table the target where it is sharded
   * @param columns those of it that have sequences
   * @param within the tokens of the INSERT, at whose level its clauses stand
   * @param newRows the statement's CTEs that are INSERT ... VALUES, and how many rows those have
   */
  NumberedInsert(
      PlanInput input,
      NumberCalls calls,
      StatementView.Insert insert,
      Optional<DeclaredTable> table,
      List<Column> columns,
      Clauses.Range within,
      Map<String, Integer> newRows) {
    this.input = input;
    this.tokens = input.tokens();
    this.calls = calls;
    this.insert = insert;
    this.table = table;
    this.columns = columns;
    this.within = within;
    this.newRows = newRows;
    this.given = table.map(t -> given(insert, t)).orElse(insert.columns());
  }

  /** The columns that the rows have values for. */
  static List<String> given(StatementView.Insert insert, DeclaredTable table) {
    if (!insert.columns().isEmpty() || insert.source() == StatementView.Source.DEFAULTS) {
      return insert.columns();
    }
    List<String> all =
        table.schema().stream().flatMap(s -> s.columns().stream()).map(Column::name).toList();
    int width = insert.rows().isEmpty() ? all.size() : insert.rows().get(0).size();
    return all.subList(0, Math.min(width, all.size()));
  }

  /**
   * Where its numbers go.
   *
   * @param left the calls for numbers in the whole statement; those of this INSERT are taken out
   */
  NumberEdits edits(List<NumberCalls.Call> left) {
    switch (insert.source()) {
      case QUERY -> table.ifPresent(this::query);
      case DEFAULTS -> defaults();
      case VALUES -> values();
    }
    left.removeAll(replaced);
    return new NumberEdits(edits, slots);
  }

  /**
   * Rows of a query get their numbers when they have been fetched, but for those within or behind
   * CTEs that write.
   */
  private void query(DeclaredTable target) {
    boolean with = isPart() || insert.scope().writes();
    overriding();
    if (!with || columns.isEmpty()) {
      return;
    } else if (insert.columns().isEmpty()) {
      throw ErrorCode.WRITE_NUMBER.because(
          "an INSERT ... SELECT within or behind WITH into %s has no list of columns"
              .formatted(target.name()));
    }
    List<Column> missing = columns.stream().filter(c -> !given.contains(c.name())).toList();
    if (!missing.isEmpty() && !ofNewRows(missing)) {
      NumberRules.refuseUnlessGiven(
          target, insert.columns(), "an INSERT ... SELECT within or behind WITH");
    }
  }

  /**
   * Numbers for the rows of {@code SELECT items FROM cte [WHERE ...]}, where the CTE is an INSERT
   * ... VALUES: no more rows than that has. No item may call a function, which could return a set.
   */
  private boolean ofNewRows(List<Column> missing) {
    int select = next("select");
    int from = next("from");
    int rows =
        from + 1 < within.to() && tokens.kind(from + 1).isName()
            ? newRows.getOrDefault(Names.of(tokens, from + 1), 0)
            : 0;
    boolean plain =
        rows > 0
            && rows <= NEW_ROWS_MOST
            && tokens.isSymbol(select - 1, ")")
            && next("with") == within.to()
            && !tokens.isAnyWord(select + 1, "distinct", "all")
            && IntStream.range(select, from).noneMatch(i -> tokens.isSymbol(i, "("))
            && endsAt(from + 2);
    if (!plain) {
      return false;
    }
    edits.add(NumberEdits.Edit.text(select - 1, ", " + names(missing)));
    if (missing.stream().anyMatch(c -> c.numbering().orElseThrow().always())) {
      edits.add(NumberEdits.Edit.text(select, " OVERRIDING SYSTEM VALUE"));
    }
    for (Column column : missing) {
      for (int row = 1; row <= rows; row++) {
        String before =
            (row == 1 ? ", CASE pg_catalog.row_number() OVER ()" : "") + " WHEN " + row + " THEN ";
        String after = row == rows ? " END" : "";
        edits.add(new NumberEdits.Edit(from, from, before, next(column), after));
      }
    }
    return true;
  }

  /** Nothing but a name for the one item of FROM, and a condition. */
  private boolean endsAt(int behind) {
    if (ends(behind)) {
      return true;
    }
    int alias = tokens.isWord(behind, "as") ? behind + 1 : behind;
    return alias < within.to() && tokens.kind(alias).isName() && ends(alias + 1);
  }

  private boolean ends(int at) {
    int end = at;
    if (at < within.to() && tokens.isWord(at, "where")) {
      end = input.clauses().where(new Clauses.Range(at, within.to())).orElseThrow().to();
    }
    return end == within.to()
        || tokens.isWord(end, "returning")
        || (tokens.isWord(end, "on") && tokens.isWord(end + 1, "conflict"));
  }

  /** It is one of the statement's CTEs. */
  private boolean isPart() {
    return within.to() < tokens.size();
  }

  private int next(String word) {
    return input.clauses().next(within, word);
  }

  // --- DEFAULT VALUES --------------------------------------------------------------------------

  private void defaults() {
    if (columns.isEmpty()) {
      return;
    }
    int at = next("default");
    if (!tokens.isWord(at + 1, "values")) {
      throw unreadable();
    }
    String system = numbersAlways() ? "OVERRIDING SYSTEM VALUE " : "";
    String before = "(" + names(columns) + ") " + system + "VALUES (";
    for (int i = 0; i < columns.size(); i++) {
      String after = i + 1 == columns.size() ? ")" : "";
      int from = i == 0 ? at : at + 2;
      edits.add(
          new NumberEdits.Edit(from, at + 2, i == 0 ? before : ", ", next(columns.get(i)), after));
    }
  }

  // --- VALUES ----------------------------------------------------------------------------------

  private void values() {
    int values = next("values");
    if (values == within.to()) {
      throw unreadable();
    }
    boolean overrides = overriding();
    List<Column> missing = columns.stream().filter(c -> !given.contains(c.name())).toList();
    int listEnd = overrides ? values - 3 : values;
    if (!missing.isEmpty()) {
      list(missing, listEnd);
    }
    if (!overrides && numbersAlways() && !givesAlways()) {
      edits.add(NumberEdits.Edit.text(values, " OVERRIDING SYSTEM VALUE"));
    }
    int at = values + 1;
    for (List<ValueView> row : insert.rows()) {
      at = row(at, row, missing);
    }
  }

  private void list(List<Column> missing, int end) {
    if (insert.columns().isEmpty()) {
      String all = given.stream().map(Identifiers::quote).collect(Collectors.joining(", "));
      String list = " (" + all + (given.isEmpty() ? "" : ", ") + names(missing) + ")";
      edits.add(NumberEdits.Edit.text(end, list));
    } else {
      edits.add(NumberEdits.Edit.text(end - 1, ", " + names(missing)));
    }
  }

  /** One row; returns where the next begins. */
  private int row(int open, List<ValueView> row, List<Column> missing) {
    int close = input.clauses().partner(open);
    if (!tokens.isSymbol(open, "(") || close < open) {
      throw unreadable();
    }
    int place = 0;
    int from = open + 1;
    for (int at = open + 1; at <= close; at++) {
      int partner = input.clauses().partner(at);
      if (at == close || tokens.isSymbol(at, ",")) {
        value(from, at, place < given.size() ? given.get(place) : "", valueAt(row, place));
        place++;
        from = at + 1;
      } else if (partner > at) {
        at = partner;
      }
    }
    if (place != row.size()) {
      throw unreadable();
    }
    for (Column column : missing) {
      edits.add(new NumberEdits.Edit(close, close, ", ", next(column), ""));
    }
    return close + 2;
  }

  private static ValueView valueAt(List<ValueView> row, int place) {
    if (place >= row.size()) {
      throw unreadable();
    }
    return row.get(place);
  }

  private void value(int from, int to, String column, ValueView value) {
    Optional<Column> numbered = columns.stream().filter(c -> c.name().equals(column)).findFirst();
    Optional<NumberCalls.Call> call = calls.exactly(from, to);
    if (numbered.isPresent() && value instanceof ValueView.Default) {
      edits.add(new NumberEdits.Edit(from, to, "", next(numbered.get()), ""));
    } else if (call.isPresent() && call.get().function().equals("nextval")) {
      slots.add(new NumberEdits.Slot(call.get().sequence(), 1, false));
      edits.add(new NumberEdits.Edit(from, to, "", slots.size() - 1, ""));
      replaced.add(call.get());
    } else {
      for (NumberCalls.Call current : calls.currentIn(from, to)) {
        boolean alone = call.isPresent();
        edits.add(
            alone
                ? new NumberEdits.Edit(from, to, "", slots.size(), "")
                : NumberCalls.current(current, slots.size()));
        slots.add(new NumberEdits.Slot(current.sequence(), 0, true));
        replaced.add(current);
      }
    }
  }

  // --- GENERATED ALWAYS ------------------------------------------------------------------------

  /** True for OVERRIDING SYSTEM VALUE in front of VALUES or SELECT. */
  private boolean overriding() {
    int at = next("overriding");
    boolean there = tokens.isWord(at, "overriding") && tokens.isWord(at + 2, "value");
    if (there && tokens.isWord(at + 1, "user") && !columns.isEmpty()) {
      throw ErrorCode.WRITE_NUMBER.because(
          "OVERRIDING USER VALUE takes numbers of an identity from a shard's sequence");
    }
    return there;
  }

  /** An identity that is GENERATED ALWAYS gets a number of the router's. */
  private boolean numbersAlways() {
    return columns.stream()
        .filter(c -> c.numbering().orElseThrow().always())
        .anyMatch(c -> !given.contains(c.name()) || has(c, true));
  }

  /** A value that PostgreSQL refuses there; it says so itself. */
  private boolean givesAlways() {
    return columns.stream()
        .filter(c -> c.numbering().orElseThrow().always())
        .anyMatch(c -> given.contains(c.name()) && has(c, false));
  }

  private boolean has(Column column, boolean defaults) {
    int place = given.indexOf(column.name());
    return insert.rows().stream()
        .anyMatch(
            row -> place < row.size() && row.get(place) instanceof ValueView.Default == defaults);
  }

  // --- slots -----------------------------------------------------------------------------------

  /** The place of the column's numbers, of which there is one more. */
  private int next(Column column) {
    int slot =
        byColumn.computeIfAbsent(
            column.name(),
            name -> {
              NumberedSequence sequence = NumberRules.sequence(input, table.orElseThrow(), column);
              slots.add(new NumberEdits.Slot(sequence, 0, false));
              return slots.size() - 1;
            });
    NumberEdits.Slot known = slots.get(slot);
    slots.set(slot, new NumberEdits.Slot(known.sequence(), known.count() + 1, false));
    return slot;
  }

  private static String names(List<Column> columns) {
    return columns.stream().map(c -> Identifiers.quote(c.name())).collect(Collectors.joining(", "));
  }

  private static RuntimeException unreadable() {
    return ErrorCode.SQL_UNREADABLE.because("the router cannot read these VALUES");
  }
}
