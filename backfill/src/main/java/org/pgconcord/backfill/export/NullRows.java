package org.pgconcord.backfill.export;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.pgconcord.backfill.BuildFindings;
import org.pgconcord.backfill.BuildFindings.NullViolation;
import org.pgconcord.config.value.Identifiers;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.gsi.IndexColumn;
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
    List<IndexColumn> matter =
        index.neverNull().stream().filter(c -> !c.column().notNull()).toList();
    if (matter.isEmpty()) {
      return 0;
    }
    String sql =
        "SELECT CASE %s END, ARRAY[%s]::text[] FROM ONLY %s WHERE %s AND (%s)"
            .formatted(
                IntStream.range(0, matter.size())
                    .mapToObj(i -> "WHEN " + matter.get(i).quoted() + " IS NULL THEN " + i)
                    .collect(Collectors.joining(" ")),
                primaryKey(),
                range.relation(),
                range.condition(),
                matter.stream()
                    .map(c -> c.quoted() + " IS NULL")
                    .collect(Collectors.joining(" OR ")));
    long count = 0;
    try (Statement statement = transaction.createStatement()) {
      statement.setFetchSize(FETCH);
      try (ResultSet row = statement.executeQuery(sql)) {
        for (; row.next(); count++) {
          String column = matter.get(row.getInt(1)).name();
          List<String> values = texts((Object[]) row.getArray(2).getArray());
          findings.nullViolation(index.name(), new NullViolation(shard, column, values));
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
