package org.pgconcord.verifier.sum;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.gsi.LookupIndex;

/**
 * The base types of an index's columns as SQL takes them, and how identities are ordered for
 * ranges: text by its bytes, whatever the column's collation, since ranges have to mean the same on
 * all servers. The columns are called c1, c2 and so on, the identity's first.
 *
 * @param names the types
 * @param identity how many columns the identity has
 */
record EntryTypes(List<String> names, int identity) {
  static EntryTypes of(LookupIndex index) {
    return new EntryTypes(
        index.columns().stream().map(c -> name(c.column().base().oid())).toList(),
        index.identity().size());
  }

  private static String name(int typeOid) {
    return switch (typeOid) {
      case 21 -> "smallint";
      case 23 -> "integer";
      case 20 -> "bigint";
      case 25, 1043 -> "text";
      case 1042 -> "bpchar";
      case 2950 -> "uuid";
      case 17 -> "bytea";
      case 1082 -> "date";
      case 1114 -> "timestamp";
      case 1184 -> "timestamptz";
      case 1700 -> "numeric";
      default ->
          throw ErrorCode.VERIFY_FAILED.because("type oid " + typeOid + " cannot be verified");
    };
  }

  /** The columns' names. */
  List<String> columns() {
    return IntStream.rangeClosed(1, names.size()).mapToObj(i -> "c" + i).toList();
  }

  /** Text parameters as arrays of the columns' types, one parameter each. */
  String arrays(int columns) {
    return IntStream.range(0, columns).mapToObj(this::array).collect(Collectors.joining(", "));
  }

  private String array(int column) {
    return "CAST(CAST(? AS text[]) AS " + names.get(column) + "[])";
  }

  /** The identity's columns in the order of ranges. */
  String order() {
    return order("");
  }

  /** As {@link #order()}, with a qualifier and its dot. */
  String order(String prefix) {
    return IntStream.range(0, identity)
        .mapToObj(i -> prefix + "c" + (i + 1) + collation(i))
        .collect(Collectors.joining(", "));
  }

  private String collation(int column) {
    boolean text = names.get(column).equals("text") || names.get(column).equals("bpchar");
    return text ? " COLLATE \"C\"" : "";
  }

  /** Compares the identity with the one in parameters that are arrays of one value each. */
  String compared(String operator) {
    String given =
        IntStream.range(0, identity)
            .mapToObj(i -> "(" + array(i) + ")[1]")
            .collect(Collectors.joining(", "));
    return "(" + order() + ") " + operator + " (" + given + ")";
  }

  /** Whether the identity is one of those in array parameters. */
  String among() {
    String columns =
        IntStream.range(0, identity).mapToObj(i -> "c" + (i + 1)).collect(Collectors.joining(", "));
    return "(" + columns + ") IN (SELECT * FROM unnest(" + arrays(identity) + "))";
  }

  /**
   * The number of the identity's part between the cuts in array parameters. Rows compare by their
   * columns' collations, so both sides name them.
   */
  String part() {
    if (identity == 1) {
      return "width_bucket(" + order() + ", " + array(0) + ")";
    }
    String names =
        IntStream.range(0, identity).mapToObj(i -> "c" + (i + 1)).collect(Collectors.joining(", "));
    return "width_bucket(ROW(%s), ARRAY(SELECT ROW(%s) FROM unnest(%s) WITH ORDINALITY AS u(%s, n) ORDER BY n))"
        .formatted(order(), order("u."), arrays(identity), names);
  }
}
