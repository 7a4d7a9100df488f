package org.pgconcord.gsi;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.Tuple;

/**
 * Runs settlements over JDBC, one at a time, for one caller's thread. Its sessions belong to it
 * alone, are opened when first needed and kept; after an error all of them are closed, so that no
 * lock outlives a settlement that did not end.
 */
public final class SettlementRunner implements AutoCloseable {
  /** Lock timeout, deadlock, serialization failure: the same settlement may be tried again. */
  private static final Set<String> RETRY = Set.of("55P03", "40P01", "40001");

  /** Opens a session of the service role, with pinned settings and auto-commit on. */
  public interface Sessions {
    Connection open(ShardId shard) throws SQLException;
  }

  private final LookupIndex index;
  private final Sessions sessions;
  private final Duration lockTimeout;
  private final Map<Step.Place, Connection> open = new HashMap<>();

  public SettlementRunner(LookupIndex index, Sessions sessions, Duration lockTimeout) {
    this.index = index;
    this.sessions = sessions;
    this.lockTimeout = lockTimeout;
  }

  /**
   * Settles one identity.
   *
   * @param owner the holder that a row is believed to have, or null
   * @return {@code UNSETTLED} after a lock timeout or deadlock too; everything is rolled back then
   */
  public Outcome settle(Tuple identity, @Nullable Tuple owner) throws SQLException {
    try {
      return run(Settlement.audit(index, identity, owner));
    } catch (SQLException e) {
      close();
      if (RETRY.contains(e.getSQLState())) {
        return Outcome.of(Outcome.Kind.UNSETTLED);
      }
      throw e;
    }
  }

  /**
   * Removes an entry from a lookup shard on which its key does not belong, whatever its row: nobody
   * looks for it there and nobody keeps it true, so there is nobody to exclude.
   *
   * @return false when it was gone
   */
  public boolean removeStray(ShardId at, Entry entry) throws SQLException {
    if (index.lookupShard(entry.identity()).equals(at)) {
      throw new IllegalArgumentException("the entry is where it belongs");
    }
    Step.Place place = new Step.Place(Step.Session.LOOKUP, at);
    return !execute(new Step.Command(place, new EntrySql(index).delete(entry))).isEmpty();
  }

  Outcome run(Step first) throws SQLException {
    Step step = first;
    while (step instanceof Step.Send send) {
      step = send.then().answer(execute(send.command()));
    }
    return ((Step.Done) step).outcome();
  }

  private List<List<@Nullable String>> execute(Step.Command command) throws SQLException {
    EntryStatement jdbc = command.statement().forJdbc();
    try (PreparedStatement statement = session(command.place()).prepareStatement(jdbc.sql())) {
      for (int i = 0; i < jdbc.parameters().size(); i++) {
        statement.setObject(i + 1, jdbc.parameters().get(i), Types.OTHER);
      }
      if (!statement.execute()) {
        return List.of();
      }
      try (ResultSet result = statement.getResultSet()) {
        return rows(result);
      }
    }
  }

  private static List<List<@Nullable String>> rows(ResultSet result) throws SQLException {
    int width = result.getMetaData().getColumnCount();
    List<List<@Nullable String>> rows = new ArrayList<>();
    while (result.next()) {
      List<@Nullable String> row = new ArrayList<>(width);
      for (int column = 1; column <= width; column++) {
        row.add(result.getString(column));
      }
      rows.add(row);
    }
    return rows;
  }

  private Connection session(Step.Place place) throws SQLException {
    Connection known = open.get(place);
    if (known != null) {
      return known;
    }
    Connection opened = sessions.open(place.shard());
    open.put(place, opened);
    try (Statement statement = opened.createStatement()) {
      statement.execute("SET lock_timeout = " + lockTimeout.toMillis());
    }
    return opened;
  }

  @Override
  public void close() {
    for (Connection connection : open.values()) {
      try {
        connection.close();
      } catch (SQLException e) {
        // The session is gone already, and with it its transaction and locks.
      }
    }
    open.clear();
  }
}
