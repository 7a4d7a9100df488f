package org.pgconcord.backfill.export;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.pgconcord.backfill.BuildFindings;
import org.pgconcord.backfill.BuildFindings.NullViolation;
import org.pgconcord.config.schema.Column;
import org.pgconcord.config.value.Identifiers;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.gsi.LookupIndex;

/** Finds the rows of one part that have a NULL which the index does not allow. */
final class NullRows {
  private static final int FETCH = 1000;

  private final LookupIndex index;
  private final BuildFindings findings;

  NullRows(LookupIndex index, BuildFindings findings) {
    this.index = index;
    this.findings = findings;
  }

  /**
   * Reports each of them and says how many there are; costs nothing where NOT NULL rules it out.
   */
  long report(Connection transaction, ShardId shard, BlockRange range) throws SQLException {
    boolean keyMatters = !index.gsi().ignoreNull() && !index.keyColumn().notNull();
    boolean shardKeyMatters = !index.shardKeyColumn().notNull();
    if (!keyMatters && !shardKeyMatters) {
      return 0;
    }
    String shardKey = Identifiers.quote(index.shardKeyColumn().name());
    String key = Identifiers.quote(index.keyColumn().name());
    String isNull = shardKey + " IS NULL" + (keyMatters ? " OR " + key + " IS NULL" : "");
    String sql =
        "SELECT %s IS NULL, ARRAY[%s]::text[] FROM ONLY %s WHERE %s AND (%s)"
            .formatted(shardKey, primaryKey(), range.relation(), range.condition(), isNull);
    long count = 0;
    try (Statement statement = transaction.createStatement()) {
      statement.setFetchSize(FETCH);
      try (ResultSet row = statement.executeQuery(sql)) {
        for (; row.next(); count++) {
          Column column = row.getBoolean(1) ? index.shardKeyColumn() : index.keyColumn();
          List<String> values = texts((Object[]) row.getArray(2).getArray());
          findings.nullViolation(index.name(), new NullViolation(shard, column.name(), values));
        }
      }
    }
    return count;
  }

  /** The primary key's columns; without one the row's place, which is better than nothing. */
  private String primaryKey() {
    List<String> columns = index.owner().primaryKey();
    return columns.isEmpty()
        ? "ctid"
        : columns.stream()
            .map(c -> Identifiers.quote(c) + "::text")
            .collect(Collectors.joining(", "));
  }

  private static List<String> texts(Object[] values) {
    List<String> texts = new ArrayList<>(values.length);
    for (Object value : values) {
      texts.add(String.valueOf(value));
    }
    return texts;
  }
}
