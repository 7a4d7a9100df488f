package org.pgconcord.cdc.apply;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.pgconcord.cdc.change.StreamName;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.Lsn;
import org.pgconcord.config.value.Tuple;
import org.pgconcord.gsi.Entry;
import org.pgconcord.gsi.LookupIndex;

/**
 * The parked entries of one stream and one index, in a table beside the lookup table, so that they
 * change in the transaction that moves the progress row: the insert that they stand for is never
 * read from the stream again.
 */
final class Parking {
  private static final String COLUMNS =
      "key, shard_key, holder, holder_fence::text, own_fence::text, duplicate, since";

  private final LookupIndex index;
  private final String gsi;
  private final String stream;

  Parking(StreamName stream, LookupIndex index) {
    this.index = index;
    this.gsi = index.name().toString();
    this.stream = stream.shard().uid();
  }

  /** Creates the table where it is missing. */
  static void install(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(
          """
          CREATE TABLE IF NOT EXISTS pgconcord.parked (
            gsi text NOT NULL,
            key text NOT NULL,
            shard_key text NOT NULL,
            stream text NOT NULL,
            holder text NOT NULL,
            holder_fence pg_lsn NOT NULL,
            own_fence pg_lsn NOT NULL,
            duplicate boolean NOT NULL DEFAULT false,
            since timestamptz NOT NULL DEFAULT now(),
            PRIMARY KEY (gsi, key, shard_key))
          """);
    }
  }

  void park(Connection connection, ParkedEntry parked) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            "INSERT INTO pgconcord.parked (gsi, key, shard_key, stream, holder, holder_fence,"
                + " own_fence, duplicate) VALUES (?, ?, ?, ?, ?, CAST(? AS pg_lsn),"
                + " CAST(? AS pg_lsn), ?) ON CONFLICT (gsi, key, shard_key) DO UPDATE SET"
                + " stream = excluded.stream, holder = excluded.holder,"
                + " holder_fence = excluded.holder_fence, own_fence = excluded.own_fence,"
                + " duplicate = excluded.duplicate")) {
      statement.setString(1, gsi);
      statement.setString(2, parked.entry().identity().stored());
      statement.setString(3, parked.entry().holder().stored());
      statement.setString(4, stream);
      statement.setString(5, parked.holder().stored());
      statement.setString(6, parked.holderFence().toString());
      statement.setString(7, parked.ownFence().toString());
      statement.setBoolean(8, parked.duplicate());
      statement.executeUpdate();
    }
  }

  /** Cancels what was parked for these entries: they are gone from their shard. */
  int cancel(Connection connection, List<Entry> entries) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            "DELETE FROM pgconcord.parked p USING unnest(CAST(? AS text[]), CAST(? AS text[]))"
                + " AS given(k, s) WHERE p.gsi = ? AND p.key = given.k AND p.shard_key = given.s")) {
      statement.setArray(
          1,
          LookupWriter.texts(
              connection, entries.stream().map(e -> e.identity().stored()).toList()));
      statement.setArray(
          2,
          LookupWriter.texts(connection, entries.stream().map(e -> e.holder().stored()).toList()));
      statement.setString(3, gsi);
      return statement.executeUpdate();
    }
  }

  /** Cancels all of this stream: its shard's table was emptied. */
  void cancelAll(Connection connection) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement("DELETE FROM pgconcord.parked WHERE gsi = ? AND stream = ?")) {
      statement.setString(1, gsi);
      statement.setString(2, stream);
      statement.executeUpdate();
    }
  }

  /** Forgets all of an index, whatever the stream: it is loaded anew. */
  static void forget(Connection connection, GsiName gsi) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement("DELETE FROM pgconcord.parked WHERE gsi = ?")) {
      statement.setString(1, gsi.toString());
      statement.executeUpdate();
    }
  }

  /** This stream's parked entries, the open ones and the oldest first. */
  List<ParkedEntry> list(Connection connection, int limit) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            "SELECT "
                + COLUMNS
                + " FROM pgconcord.parked WHERE gsi = ? AND stream = ?"
                + " ORDER BY duplicate, since LIMIT ?")) {
      statement.setString(1, gsi);
      statement.setString(2, stream);
      statement.setInt(3, limit);
      return read(statement, index);
    }
  }

  /** All parked entries of an index, whatever the stream. */
  static List<ParkedEntry> of(Connection connection, LookupIndex index, int limit)
      throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            "SELECT "
                + COLUMNS
                + " FROM pgconcord.parked WHERE gsi = ? ORDER BY duplicate, since LIMIT ?")) {
      statement.setString(1, index.name().toString());
      statement.setInt(2, limit);
      return read(statement, index);
    }
  }

  private static List<ParkedEntry> read(PreparedStatement statement, LookupIndex index)
      throws SQLException {
    List<ParkedEntry> parked = new ArrayList<>();
    try (ResultSet rows = statement.executeQuery()) {
      while (rows.next()) {
        Entry entry =
            new Entry(
                Tuple.read(rows.getString(1), index.identity().size()),
                Tuple.read(rows.getString(2), index.holder().size()));
        Lsn holderFence = Lsn.parse(rows.getString(4));
        boolean waitsForLock = holderFence.equals(Lsn.ZERO) && rows.getString(3).isEmpty();
        parked.add(
            new ParkedEntry(
                entry,
                waitsForLock ? Tuple.EMPTY : Tuple.read(rows.getString(3), index.holder().size()),
                holderFence,
                Lsn.parse(rows.getString(5)),
                rows.getBoolean(6),
                rows.getTimestamp(7).toInstant()));
      }
    }
    return parked;
  }
}
