package org.pgconcord.testkit.invariant;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.pgconcord.config.value.Identifiers;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;
import org.pgconcord.config.value.Tuple;

/**
 * Compares the rows of a table that refers to another's index with its mappings: each names one, an
 * entry with an owner row under it (docs/decisions/0017, R1). A mapping may go when the row is
 * there; the keys of those that a test took away it has to say. Nobody writes meanwhile.
 */
public final class ReferrerChecker {
  private final TableName referrer;
  private final List<String> columns;
  private final List<ShardId> where;
  private final InvariantChecker index;
  private final Sessions shards;

  /**
   * @param columns of the referrer, in the order of the index's
   * @param where the shards that have rows of it
   */
  public ReferrerChecker(
      TableName referrer,
      List<String> columns,
      List<ShardId> where,
      IndexUnderTest index,
      Sessions shards) {
    this.referrer = referrer;
    this.columns = List.copyOf(columns);
    this.where = List.copyOf(where);
    this.index = new InvariantChecker(index, shards);
    this.shards = shards;
  }

  /**
   * Rows that name no mapping. Rows with a NULL in these columns name none and need none.
   *
   * @param gone keys whose owner rows were there once
   */
  public List<Violation> violations(Set<Tuple> gone) throws SQLException {
    Set<Tuple> mapped = index.mapped();
    List<Violation> found = new ArrayList<>();
    for (ShardId shard : where) {
      for (Tuple key : named(shard)) {
        if (!mapped.contains(key) && !gone.contains(key)) {
          found.add(new Violation("R1", key.toString(), referrer + " on " + shard + " names it"));
        }
      }
    }
    return found;
  }

  /** How many keys are named on any shard; a test that compares none compares nothing. */
  public int named() throws SQLException {
    int named = 0;
    for (ShardId shard : where) {
      named += named(shard).size();
    }
    return named;
  }

  private List<Tuple> named(ShardId shard) throws SQLException {
    String all = columns.stream().map(Identifiers::quote).collect(Collectors.joining("::text, "));
    String sql =
        "SELECT DISTINCT %s::text FROM %s WHERE (%s) IS NOT NULL"
            .formatted(all, referrer.quoted(), all.replace("::text", ""));
    List<Tuple> keys = new ArrayList<>();
    try (Connection connection = shards.open(shard);
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      while (row.next()) {
        List<String> values = new ArrayList<>();
        for (int column = 1; column <= columns.size(); column++) {
          values.add(row.getString(column));
        }
        keys.add(new Tuple(values));
      }
    }
    return keys;
  }
}
