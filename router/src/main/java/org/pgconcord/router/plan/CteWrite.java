package org.pgconcord.router.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.value.Identifiers;
import org.pgconcord.config.value.TableName;
import org.pgconcord.router.sql.Clauses;
import org.pgconcord.router.sql.StatementText;
import org.pgconcord.router.sql.Tokens;

/**
 * A part of a statement with WITH that changes entries, and does not say to anybody but the rest of
 * its statement which rows it has changed (docs/decisions/0019): its rows are known beforehand, and
 * read again behind it by their primary keys.
 *
 * @param name how to call it in an error
 * @param work the indexes, and the columns that entries are made of
 * @param table whose rows it changes
 * @param columns how the columns of {@code work} are selected of {@code table} under the alias of
 *     {@code qualifier}
 * @param primaryKey of the table
 * @param old of an UPDATE or DELETE: how its rows are locked
 * @param inserted of an INSERT: for each row the tokens of its primary key's values, which are
 *     constants
 * @param conflicts of an INSERT: it has ON CONFLICT
 * @param met of an INSERT that may update the rows in its way: how those are locked, and how it is
 *     kept from others
 */
public record CteWrite(
    String name,
    Plan.WriteKind kind,
    EntryWork work,
    TableName table,
    String qualifier,
    String columns,
    List<KeyPart> primaryKey,
    Optional<OldRows> old,
    List<List<Clauses.Range>> inserted,
    boolean conflicts,
    Optional<ConflictRows> met) {

  /**
   * A column of the primary key.
   *
   * @param place among the columns of the work
   * @param type what its values are
   */
  public record KeyPart(String column, int place, String type) {}

  public CteWrite {
    primaryKey = List.copyOf(primaryKey);
    inserted = inserted.stream().map(List::copyOf).toList();
  }

  /** What is asked before the statement: locks the rows, or looks for those in an INSERT's way. */
  public String before(StatementText text) {
    if (met.isPresent()) {
      return met.get()
          .lock(text, IntStream.range(0, inserted.size()).boxed().toList())
          .orElseThrow();
    }
    String lock = conflicts ? " FOR NO KEY UPDATE" : "";
    return old.map(rows -> rows.lock(text, EntryWork.ROWS_MOST + 1, ""))
        .orElseGet(() -> withKeysInserted(text) + lock);
  }

  /** How many rows the transaction has stored in the table so far, those of partitions included. */
  public String stored() {
    return ("SELECT pg_catalog.sum(pg_catalog.pg_stat_get_xact_tuples_inserted(t.relid)) FROM"
            + " (SELECT %1$s::pg_catalog.regclass AS relid UNION SELECT relid FROM"
            + " pg_catalog.pg_partition_tree(%1$s)) t")
        .formatted(Identifiers.literal(table.quoted()));
  }

  /** The primary key of a row with the columns of {@link #work}. */
  public List<@Nullable String> key(List<@Nullable String> row) {
    List<@Nullable String> key = new ArrayList<>();
    primaryKey.forEach(part -> key.add(row.get(part.place())));
    return key;
  }

  /** Reads the rows that have these primary keys now: place and columns. */
  public String withKeys(List<List<@Nullable String>> rows) {
    return reading(
        rows.stream()
            .map(row -> tuple(row.stream().map(CteWrite::literal).toList()))
            .collect(Collectors.joining(", ")));
  }

  private static String literal(@Nullable String value) {
    return value == null ? "NULL" : Identifiers.literal(value);
  }

  /** Reads the rows that have the primary keys which an INSERT gives its rows. */
  public String withKeysInserted(StatementText text) {
    Tokens tokens = text.tokens();
    return reading(
        inserted.stream()
            .map(
                row ->
                    tuple(
                        row.stream()
                            .map(
                                value ->
                                    text.sql()
                                        .substring(
                                            tokens.start(value.from()), tokens.end(value.to() - 1)))
                            .toList()))
            .collect(Collectors.joining(", ")));
  }

  private String tuple(List<String> values) {
    return IntStream.range(0, values.size())
        .mapToObj(i -> "CAST(%s AS %s)".formatted(values.get(i), primaryKey.get(i).type()))
        .collect(Collectors.joining(", ", "(", ")"));
  }

  private String reading(String keys) {
    String alias = Identifiers.quote(qualifier);
    String names =
        primaryKey.stream()
            .map(part -> alias + "." + Identifiers.quote(part.column()))
            .collect(Collectors.joining(", ", "(", ")"));
    return "SELECT %1$s.tableoid, %1$s.ctid, %2$s FROM %3$s AS %1$s WHERE %4$s IN (%5$s)"
        .formatted(alias, columns, table.quoted(), names, keys);
  }
}
