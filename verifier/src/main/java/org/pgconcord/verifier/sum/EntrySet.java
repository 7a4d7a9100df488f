package org.pgconcord.verifier.sum;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.value.Identifiers;
import org.pgconcord.config.value.TableName;
import org.pgconcord.gsi.Entry;
import org.pgconcord.gsi.LookupIndex;

/**
 * A set of entries on a server: a query that yields columns {@code k} and {@code s} of the index's
 * types, with its parameters, all of them arrays of text. Immutable; narrowed by adding conditions.
 */
public final class EntrySet {
  private final EntryTypes types;
  private final String query;
  private final List<List<String>> arrays;

  private EntrySet(EntryTypes types, String query, List<List<String>> arrays) {
    this.types = types;
    this.query = query;
    this.arrays = arrays;
  }

  /** The entries that an owner shard's rows derive to. */
  public static EntrySet owner(LookupIndex index) {
    return table(index, index.gsi().owner(), true);
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
    return new EntrySet(whole.types, whole.query + lower + upper, whole.arrays);
  }

  /** The entries of the lookup table. */
  public static EntrySet lookup(LookupIndex index) {
    return table(index, index.gsi().lookup(), false);
  }

  private static EntrySet table(LookupIndex index, TableName table, boolean mayBeNull) {
    String key = Identifiers.quote(index.keyColumn().name());
    String shardKey = Identifiers.quote(index.shardKeyColumn().name());
    String query =
        "SELECT " + key + " AS k, " + shardKey + " AS s FROM " + table.quoted() + " t WHERE ";
    String whole = mayBeNull ? key + " IS NOT NULL AND " + shardKey + " IS NOT NULL" : "true";
    return new EntrySet(EntryTypes.of(index), query + whole, List.of());
  }

  /** Entries that are not in a table: sent as arrays, so that a server hashes them as its own. */
  public static EntrySet of(LookupIndex index, List<Entry> entries) {
    EntryTypes types = EntryTypes.of(index);
    String query =
        "SELECT k, s FROM unnest("
            + types.keyArray()
            + ", "
            + types.shardKeyArray()
            + ") AS e(k, s) WHERE true";
    return new EntrySet(
        types,
        query,
        List.of(
            entries.stream().map(Entry::key).toList(),
            entries.stream().map(Entry::shardKey).toList()));
  }

  /** Those of a key range. */
  public EntrySet within(KeyBounds bounds) {
    EntrySet narrowed = this;
    if (bounds.lower() != null) {
      narrowed = narrowed.where("k%c >= (%a)[1]", List.of(bounds.lower()));
    }
    if (bounds.upper() != null) {
      narrowed = narrowed.where("k%c < (%a)[1]", List.of(bounds.upper()));
    }
    return narrowed;
  }

  /** Those of some keys. */
  public EntrySet ofKeys(List<String> keys) {
    return where("k = ANY (%a)", keys);
  }

  /**
   * Those of some parts.
   *
   * @param cuts ascending; part {@code i} is below cut {@code i}, the last one is the rest
   */
  public EntrySet inParts(List<String> cuts, List<Integer> parts) {
    String condition = types.part() + " = ANY (CAST(CAST(? AS text[]) AS int[]))";
    return narrowed(condition, Arrays.asList(cuts, parts.stream().map(String::valueOf).toList()));
  }

  private EntrySet where(String condition, List<String> array) {
    String filled = condition.replace("%c", types.collation()).replace("%a", types.keyArray());
    return narrowed(filled, List.of(array));
  }

  private EntrySet narrowed(String condition, Collection<List<String>> conditionArrays) {
    List<List<String>> more = new ArrayList<>(arrays);
    more.addAll(conditionArrays);
    return new EntrySet(
        types, "SELECT k, s FROM (" + query + ") e WHERE " + condition, List.copyOf(more));
  }

  EntryTypes types() {
    return types;
  }

  /**
   * A statement over this set.
   *
   * @param select the text before it, with one {@code ?} when {@code first} is given
   * @param rest the text after it
   */
  PreparedStatement prepare(
      Connection connection, String select, @Nullable List<String> first, String rest)
      throws SQLException {
    PreparedStatement statement =
        connection.prepareStatement(select + " FROM (" + query + ") e " + rest);
    int at = 1;
    if (first != null) {
      statement.setArray(at++, connection.createArrayOf("text", first.toArray()));
    }
    for (List<String> array : arrays) {
      statement.setArray(at++, connection.createArrayOf("text", array.toArray()));
    }
    return statement;
  }
}
