package org.pgconcord.backfill.export;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.pgconcord.backfill.order.RawOrder;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.TableName;
import org.pgconcord.gsi.LookupIndex;

/**
 * The two columns of a lookup table as its server has them: what the exported bytes must be.
 *
 * @param keyType the key's base type without modifier, as SQL takes it
 */
public record KeyColumns(int keyTypeOid, String keyType, String shardKeyType) {

  /** Reads them on the lookup shard. */
  public static KeyColumns read(Connection lookup, LookupIndex index) throws SQLException {
    ColumnType key = columnType(lookup, index.gsi().lookup(), index.key().get(0).name());
    ColumnType shardKey = columnType(lookup, index.gsi().lookup(), index.shardKey().get(0).name());
    return new KeyColumns(key.oid, key.name, shardKey.name);
  }

  private record ColumnType(int oid, String name) {}

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

  public RawOrder order() {
    return RawOrder.ofType(keyTypeOid);
  }

  /**
   * The statement that gives one part of an owner table as sorted binary rows. Both columns are
   * cast to the lookup columns' types without modifier: the bytes are then what the load's receive
   * functions take, and a modifier is checked there instead of silently cutting values here.
   */
  String copyOut(LookupIndex index, BlockRange range) {
    String order = RawOrder.collatable(keyTypeOid) ? "k COLLATE \"C\"" : "k";
    String key = index.key().get(0).quoted();
    String shardKey = index.shardKey().get(0).quoted();
    return "COPY (SELECT k, s FROM (SELECT %s::%s AS k, %s::%s AS s FROM ONLY %s WHERE %s AND %s IS NOT NULL AND %s IS NOT NULL) e ORDER BY %s) TO STDOUT (FORMAT binary)"
        .formatted(
            key,
            keyType,
            shardKey,
            shardKeyType,
            range.relation(),
            range.condition(),
            key,
            shardKey,
            order);
  }
}
