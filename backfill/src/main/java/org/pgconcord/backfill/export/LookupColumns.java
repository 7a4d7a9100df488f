package org.pgconcord.backfill.export;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.pgconcord.backfill.order.RawOrder;
import org.pgconcord.backfill.order.RowOrder;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.TableName;
import org.pgconcord.gsi.IndexColumn;
import org.pgconcord.gsi.LookupIndex;

/**
 * The columns of a lookup table as its server has them: what the exported bytes must be.
 *
 * @param types in the order of the index's columns
 * @param identity how many of them, from the first, are the identity
 */
public record LookupColumns(List<ColumnType> types, int identity) {
  public LookupColumns {
    types = List.copyOf(types);
  }

  /** A base type without modifier: its oid, and its name as SQL takes it. */
  public record ColumnType(int oid, String name) {}

  /** Reads them on the lookup shard. */
  public static LookupColumns read(Connection lookup, LookupIndex index) throws SQLException {
    List<ColumnType> types = new ArrayList<>();
    for (IndexColumn column : index.columns()) {
      types.add(columnType(lookup, index.gsi().lookup(), column.name()));
    }
    return new LookupColumns(types, index.identity().size());
  }

  /** A modifier of -1 prints {@code bpchar} where NULL would print char(1)'s name. */
  private static ColumnType columnType(Connection lookup, TableName table, String column)
      throws SQLException {
    String sql =
        "SELECT atttypid::int, format_type(atttypid, -1) FROM pg_attribute"
            + " WHERE attrelid = to_regclass(?) AND attname = ? AND NOT attisdropped";
    try (PreparedStatement statement = lookup.prepareStatement(sql)) {
      statement.setString(1, table.quoted());
      statement.setString(2, column);
      try (ResultSet row = statement.executeQuery()) {
        if (!row.next()) {
          throw ErrorCode.BACKFILL_FAILED.because(
              "the lookup table " + table + " has no column " + column);
        }
        return new ColumnType(row.getInt(1), row.getString(2));
      }
    }
  }

  /** The order of rows by their identities. */
  public RowOrder order() {
    return new RowOrder(
        types.subList(0, identity).stream().map(type -> RawOrder.ofType(type.oid())).toList());
  }

  /**
   * The statement that gives one part of an owner table as sorted binary rows. All columns are cast
   * to the lookup columns' types without modifier: the bytes are then what the load's receive
   * functions take, and a modifier is checked there instead of silently cutting values here. Behind
   * them, where the lookup table is sharded, its shard key as text, which is what routes. A cast
   * keeps its column's name, so the order says whose columns it means.
   */
  String copyOut(LookupIndex index, BlockRange range) {
    List<IndexColumn> columns = index.columns();
    String routing =
        index.lookupShardKey().stream()
            .map(column -> ", c" + columns.indexOf(column) + "::text")
            .collect(Collectors.joining());
    return "COPY (SELECT %s%s FROM (SELECT %s FROM ONLY %s WHERE %s AND %s) e ORDER BY %s) TO STDOUT (FORMAT binary)"
        .formatted(
            each(columns.size(), i -> "c" + i, ", "),
            routing,
            each(
                columns.size(),
                i -> columns.get(i).quoted() + "::" + types.get(i).name() + " AS c" + i,
                ", "),
            range.relation(),
            range.condition(),
            each(columns.size(), i -> columns.get(i).quoted() + " IS NOT NULL", " AND "),
            each(identity, this::ordered, ", "));
  }

  private String ordered(int column) {
    return "e.c" + column + (RawOrder.collatable(types.get(column).oid()) ? " COLLATE \"C\"" : "");
  }

  private static String each(
      int count, java.util.function.IntFunction<String> text, String between) {
    return IntStream.range(0, count).mapToObj(text).collect(Collectors.joining(between));
  }
}
