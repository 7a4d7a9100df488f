package org.pgconcord.testkit.invariant;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;

/**
 * Compares the copies of a reference table whole rows at a time: each is equal to the leader's, or
 * known to be unequal (I5). Nobody writes meanwhile.
 */
public final class CopyChecker {
  private static final int SHOWN_MAX = 5;

  private final TableName table;
  private final List<ShardId> copies;
  private final Sessions shards;

  /**
   * @param copies the shards that have one; the lowest uid leads
   */
  public CopyChecker(TableName table, List<ShardId> copies, Sessions shards) {
    this.table = table;
    this.copies = copies.stream().sorted().toList();
    this.shards = shards;
  }

  /**
   * What is broken now.
   *
   * @param marked the copies that are reported unequal
   */
  public List<Violation> violations(Set<ShardId> marked) throws SQLException {
    Set<String> leader = rows(copies.get(0));
    List<Violation> found = new ArrayList<>();
    for (ShardId copy : copies.subList(1, copies.size())) {
      Set<String> rows = rows(copy);
      if (!rows.equals(leader) && !marked.contains(copy)) {
        found.add(
            new Violation(
                "I5",
                table + " on " + copy,
                "lacks " + without(leader, rows) + ", has besides " + without(rows, leader)));
      }
    }
    return found;
  }

  /** How many rows the leader has; a test that compares empty tables compares nothing. */
  public int rows() throws SQLException {
    return rows(copies.get(0)).size();
  }

  private static List<String> without(Set<String> rows, Set<String> others) {
    return rows.stream().filter(row -> !others.contains(row)).limit(SHOWN_MAX).toList();
  }

  private Set<String> rows(ShardId shard) throws SQLException {
    Set<String> rows = new TreeSet<>();
    try (Connection connection = shards.open(shard);
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery("SELECT CAST(t.* AS text) FROM " + table.quoted() + " t")) {
      while (row.next()) {
        rows.add(row.getString(1));
      }
    }
    return rows;
  }
}
