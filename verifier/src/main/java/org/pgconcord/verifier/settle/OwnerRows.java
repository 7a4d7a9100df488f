package org.pgconcord.verifier.settle;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.Tuple;
import org.pgconcord.gsi.IndexColumn;
import org.pgconcord.gsi.LookupIndex;
import org.pgconcord.verifier.report.Difference;
import org.pgconcord.verifier.report.Sample;

/**
 * What is wrong with an owner shard's rows whatever the lookup table says: NULLs that the index
 * does not allow, and rows whose shard key belongs on another shard, which no reader finds there.
 */
public final class OwnerRows {
  private static final int FETCH = 10_000;
  private static final int SAMPLES = 20;

  private final LookupIndex index;
  private final String owner;

  public OwnerRows(LookupIndex index) {
    this.index = index;
    this.owner = index.gsi().owner().quoted();
  }

  /** Counts of rows, with some of them named. */
  public record Found(long nullViolations, long misplaced, List<Sample> samples) {
    public static final Found NOTHING = new Found(0, 0, List.of());

    public Found {
      samples = List.copyOf(samples);
    }

    public Found plus(Found other) {
      List<Sample> all = new ArrayList<>(samples);
      all.addAll(other.samples);
      return new Found(nullViolations + other.nullViolations, misplaced + other.misplaced, all);
    }
  }

  /**
   * Looks in the open snapshot, and if anything is wrong there once more in a fresh one: what was
   * put right meanwhile does not count.
   */
  public Found check(ShardId shard, Connection snapshot, OwnerReader fresh) throws SQLException {
    Found seen = look(shard, snapshot, fresh);
    return seen.nullViolations + seen.misplaced == 0
        ? seen
        : look(shard, fresh.session(shard), fresh);
  }

  private Found look(ShardId shard, Connection connection, OwnerReader reader) throws SQLException {
    List<Sample> samples = new ArrayList<>();
    long nulls = nullViolations(shard, connection, reader, samples);
    long misplaced = misplaced(shard, connection, reader, samples);
    return new Found(nulls, misplaced, samples);
  }

  private long nullViolations(
      ShardId shard, Connection connection, OwnerReader reader, List<Sample> samples)
      throws SQLException {
    String where =
        index.neverNull().stream()
            .filter(c -> !c.column().notNull())
            .map(c -> c.quoted() + " IS NULL")
            .collect(Collectors.joining(" OR "));
    if (where.isEmpty()) {
      return 0;
    }
    long count;
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery("SELECT count(*) FROM " + owner + " WHERE " + where)) {
      row.next();
      count = row.getLong(1);
    }
    if (count > 0) {
      for (List<String> primaryKey : reader.primaryKeys(shard, where, List.of())) {
        samples.add(sample(Difference.NULL_VIOLATION, shard, null, primaryKey));
      }
    }
    return count;
  }

  private long misplaced(
      ShardId shard, Connection connection, OwnerReader reader, List<Sample> samples)
      throws SQLException {
    List<IndexColumn> shardKey = index.shardKey();
    String names = shardKey.stream().map(IndexColumn::quoted).collect(Collectors.joining(", "));
    String sql =
        "SELECT count(*), %s FROM %s WHERE %s GROUP BY %s"
            .formatted(
                shardKey.stream().map(c -> c.quoted() + "::text").collect(Collectors.joining(", ")),
                owner,
                shardKey.stream()
                    .map(c -> c.quoted() + " IS NOT NULL")
                    .collect(Collectors.joining(" AND ")),
                names);
    long count = 0;
    List<Tuple> wrong = new ArrayList<>();
    try (Statement statement = connection.createStatement()) {
      statement.setFetchSize(FETCH);
      try (ResultSet row = statement.executeQuery(sql)) {
        while (row.next()) {
          Tuple value = new Tuple(OwnerReader.texts(row, 2, shardKey.size()));
          if (!index.shardOf(value).equals(shard)) {
            count += row.getLong(1);
            if (wrong.size() < SAMPLES) {
              wrong.add(value);
            }
          }
        }
      }
    }
    for (Tuple value : wrong) {
      for (List<String> primaryKey :
          reader.primaryKeys(shard, OwnerReader.equal(shardKey), value.values())) {
        samples.add(sample(Difference.MISPLACED, shard, value.toString(), primaryKey));
      }
    }
    return count;
  }

  private static Sample sample(
      Difference difference, ShardId shard, @Nullable String value, List<String> primaryKey) {
    return new Sample(
        difference, null, List.of(new Sample.Owner(shard.uid(), value, primaryKey)), null);
  }
}
