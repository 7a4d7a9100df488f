package org.pgconcord.verifier.sum;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.pgconcord.config.value.TableName;
import org.pgconcord.config.value.Tuple;
import org.pgconcord.gsi.Entry;
import org.pgconcord.gsi.LookupIndex;

/**
 * A set of entries on a server: a query that yields the index's columns under the names c1, c2 and
 * so on, with its parameters, all of them arrays of text. Immutable; narrowed by adding conditions.
 */
public final class EntrySet {
  private final LookupIndex index;
  private final EntryTypes types;
  private final String query;
  private final List<List<String>> arrays;

  private EntrySet(LookupIndex index, String query, List<List<String>> arrays) {
    this.index = index;
    this.types = EntryTypes.of(index);
    this.query = query;
    this.arrays = arrays;
  }

  /** The entries that an owner shard's rows derive to. */
  public static EntrySet owner(LookupIndex index) {
    String whole =
        index.columns().stream()
            .map(c -> "t." + c.quoted() + " IS NOT NULL")
            .collect(Collectors.joining(" AND "));
    return table(index, index.gsi().owner(), whole);
  }

  /**
   * Those of rows on some of its pages, in an ordinary table.
   *
   * @param to the first page that does not belong; {@code Long.MAX_VALUE} for all that follow
   */
  static EntrySet ownerPages(LookupIndex index, long from, long to) {
    EntrySet whole = owner(index);
    String lower = from == 0 ? "" : " AND t.ctid >= '(" + from + ",0)'::tid";
    String upper = to == Long.MAX_VALUE ? "" : " AND t.ctid < '(" + to + ",0)'::tid";
    return new EntrySet(index, whole.query + lower + upper, whole.arrays);
  }

  /** The entries of the lookup table. */
  public static EntrySet lookup(LookupIndex index) {
    return table(index, index.gsi().lookup(), "true");
  }

  private static EntrySet table(LookupIndex index, TableName table, String condition) {
    String columns =
        IntStream.range(0, index.columns().size())
            .mapToObj(i -> "t." + index.columns().get(i).quoted() + " AS c" + (i + 1))
            .collect(Collectors.joining(", "));
    String query = "SELECT " + columns + " FROM " + table.quoted() + " t WHERE " + condition;
    return new EntrySet(index, query, List.of());
  }

  /** Entries that are not in a table: sent as arrays, so that a server hashes them as its own. */
  public static EntrySet of(LookupIndex index, List<Entry> entries) {
    EntryTypes types = EntryTypes.of(index);
    String columns = String.join(", ", types.columns());
    String query =
        "SELECT %s FROM unnest(%s) AS e(%s) WHERE true"
            .formatted(columns, types.arrays(types.names().size()), columns);
    return new EntrySet(
        index, query, columns(entries.stream().map(Entry::row).toList(), types.names().size()));
  }

  /** The values of tuples, column by column. */
  private static List<List<String>> columns(List<Tuple> tuples, int width) {
    List<List<String>> columns = new ArrayList<>();
    for (int i = 0; i < width; i++) {
      int column = i;
      columns.add(tuples.stream().map(tuple -> tuple.get(column)).toList());
    }
    return columns;
  }

  /** Those of a range of identities. */
  public EntrySet within(KeyBounds bounds) {
    EntrySet narrowed = this;
    if (bounds.lower() != null) {
      narrowed = narrowed.narrowed(types.compared(">="), identities(List.of(bounds.lower())));
    }
    if (bounds.upper() != null) {
      narrowed = narrowed.narrowed(types.compared("<"), identities(List.of(bounds.upper())));
    }
    return narrowed;
  }

  /** Those of some identities. */
  public EntrySet of(List<Tuple> identities) {
    return narrowed(types.among(), identities(identities));
  }

  /**
   * Those of some parts.
   *
   * @param cuts ascending; part {@code i} is below cut {@code i}, the last one is the rest
   */
  public EntrySet inParts(List<Tuple> cuts, List<Integer> parts) {
    List<List<String>> conditionArrays = new ArrayList<>(identities(cuts));
    conditionArrays.add(parts.stream().map(String::valueOf).toList());
    return narrowed(types.part() + " = ANY (CAST(CAST(? AS text[]) AS int[]))", conditionArrays);
  }

  /** Parameters for identities, one array per column. */
  List<List<String>> identities(List<Tuple> identities) {
    return columns(identities, types.identity());
  }

  private EntrySet narrowed(String condition, Collection<List<String>> conditionArrays) {
    List<List<String>> more = new ArrayList<>(arrays);
    more.addAll(conditionArrays);
    return new EntrySet(
        index,
        "SELECT "
            + String.join(", ", types.columns())
            + " FROM ("
            + query
            + ") e WHERE "
            + condition,
        List.copyOf(more));
  }

  LookupIndex index() {
    return index;
  }

  EntryTypes types() {
    return types;
  }

  /**
   * A statement over this set.
   *
   * @param select the text before it, with one {@code ?} for each of {@code first}
   * @param first its parameters
   * @param rest the text after it
   */
  PreparedStatement prepare(
      Connection connection, String select, List<List<String>> first, String rest)
      throws SQLException {
    PreparedStatement statement =
        connection.prepareStatement(select + " FROM (" + query + ") e " + rest);
    int at = 1;
    for (List<String> array : first) {
      statement.setArray(at++, connection.createArrayOf("text", array.toArray()));
    }
    for (List<String> array : arrays) {
      statement.setArray(at++, connection.createArrayOf("text", array.toArray()));
    }
    return statement;
  }
}
