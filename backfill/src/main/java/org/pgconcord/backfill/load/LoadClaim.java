package org.pgconcord.backfill.load;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.TableName;

/**
 * A build's rows in the target's {@code pgconcord.backfill}: the claim (range -1), the end (range
 * -2) and one row per loaded range. They commit with what they tell of and therefore decide what is
 * loaded; everything noted elsewhere only saves time.
 *
 * <p>The claim is also a fence. A transaction of a build first locks its claim FOR SHARE; a later
 * build deletes the claim when it takes the table over, and so waits for that transaction and stops
 * every later one.
 */
public final class LoadClaim {
  private static final int CLAIM = -1;
  private static final int END = -2;
  private static final long SCHEMA_LOCK = 0x7067_6366_696c_6cL;

  private final GsiName gsi;
  private final String build;

  public LoadClaim(GsiName gsi, String build) {
    this.gsi = gsi;
    this.build = build;
  }

  /** What a loaded range, or the whole load, brought. */
  public record Loaded(long rows, long duplicateRows) {}

  /**
   * Makes the lookup table empty and this build's, unless it is this build's already. Commits. An
   * engine that still applies a stream to the table loses its epoch with that.
   *
   * @return the load's sum when it has ended before
   */
  public Optional<Loaded> take(Connection target, TableName lookup) throws SQLException {
    createTable(target);
    if (count(target, CLAIM, "") == 0) {
      update(target, "DELETE FROM pgconcord.backfill WHERE gsi = ?");
      update(target, "UPDATE pgconcord.progress SET epoch = epoch + 1 WHERE target = ?");
      try (Statement empty = target.createStatement()) {
        empty.execute("TRUNCATE " + lookup.quoted());
      }
      insert(target, CLAIM, new Loaded(0, 0));
    }
    Optional<Loaded> end = Optional.ofNullable(read(target).get(END));
    target.commit();
    return end;
  }

  private void update(Connection target, String sql) throws SQLException {
    try (PreparedStatement statement = target.prepareStatement(sql)) {
      statement.setString(1, gsi.toString());
      statement.executeUpdate();
    }
  }

  /** The ranges that are loaded. */
  public Map<Integer, Loaded> ranges(Connection target) throws SQLException {
    Map<Integer, Loaded> all = read(target);
    all.remove(CLAIM);
    all.remove(END);
    return all;
  }

  /** Keeps the claim to the end of the open transaction. */
  public void hold(Connection transaction) throws SQLException {
    if (count(transaction, CLAIM, " FOR SHARE") == 0) {
      throw ErrorCode.BACKFILL_SUPERSEDED.because(
          "the lookup table of " + gsi + " belongs to another build");
    }
  }

  public void addRange(Connection transaction, int range, Loaded loaded) throws SQLException {
    insert(transaction, range, loaded);
  }

  /** Puts the end in place of the ranges. */
  public void end(Connection transaction, Loaded sum) throws SQLException {
    try (PreparedStatement ranges =
        transaction.prepareStatement(
            "DELETE FROM pgconcord.backfill WHERE gsi = ? AND build = ? AND range >= 0")) {
      ranges.setString(1, gsi.toString());
      ranges.setString(2, build);
      ranges.executeUpdate();
    }
    insert(transaction, END, sum);
  }

  private static void createTable(Connection target) throws SQLException {
    try (Statement statement = target.createStatement()) {
      statement.execute("SELECT pg_advisory_xact_lock(" + SCHEMA_LOCK + ")");
      statement.execute(
          "CREATE TABLE IF NOT EXISTS pgconcord.backfill (gsi text NOT NULL, build text NOT NULL,"
              + " range int NOT NULL, rows bigint NOT NULL, duplicate_rows bigint NOT NULL,"
              + " PRIMARY KEY (gsi, build, range))");
    }
    target.commit();
  }

  private int count(Connection target, int range, String lock) throws SQLException {
    String sql =
        "SELECT 1 FROM pgconcord.backfill WHERE gsi = ? AND build = ? AND range = ?" + lock;
    try (PreparedStatement statement = target.prepareStatement(sql)) {
      statement.setString(1, gsi.toString());
      statement.setString(2, build);
      statement.setInt(3, range);
      try (ResultSet row = statement.executeQuery()) {
        return row.next() ? 1 : 0;
      }
    }
  }

  private void insert(Connection transaction, int range, Loaded loaded) throws SQLException {
    String sql = "INSERT INTO pgconcord.backfill VALUES (?, ?, ?, ?, ?)";
    try (PreparedStatement statement = transaction.prepareStatement(sql)) {
      statement.setString(1, gsi.toString());
      statement.setString(2, build);
      statement.setInt(3, range);
      statement.setLong(4, loaded.rows);
      statement.setLong(5, loaded.duplicateRows);
      statement.executeUpdate();
    }
  }

  private Map<Integer, Loaded> read(Connection target) throws SQLException {
    Map<Integer, Loaded> ranges = new HashMap<>();
    String sql =
        "SELECT range, rows, duplicate_rows FROM pgconcord.backfill WHERE gsi = ? AND build = ?";
    try (PreparedStatement statement = target.prepareStatement(sql)) {
      statement.setString(1, gsi.toString());
      statement.setString(2, build);
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          ranges.put(row.getInt(1), new Loaded(row.getLong(2), row.getLong(3)));
        }
      }
    }
    return ranges;
  }
}
