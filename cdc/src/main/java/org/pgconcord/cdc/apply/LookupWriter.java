package org.pgconcord.cdc.apply;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.pgconcord.config.value.Identifiers;
import org.pgconcord.gsi.Entry;
import org.pgconcord.gsi.LookupIndex;

/**
 * Set-wise statements on one lookup table and its owner table: thousands of entries each, as
 * arrays. Stateless; the caller owns connection and transaction.
 */
final class LookupWriter {
  private final String delete;
  private final String insert;
  private final String read;
  private final String page;
  private final String firstPage;
  private final String ownerless;

  LookupWriter(LookupIndex index) {
    String lookup = index.gsi().lookup().quoted();
    String key = Identifiers.quote(index.keyColumn().name());
    String shardKey = Identifiers.quote(index.shardKeyColumn().name());
    String keys = "(CAST(? AS text[])::" + index.keyColumn().type() + "[])";
    String shardKeys = "(CAST(? AS text[])::" + index.shardKeyColumn().type() + "[])";
    String given = "unnest(" + keys + ", " + shardKeys + ") AS given(k, s)";
    delete =
        "DELETE FROM %s l USING %s WHERE l.%s = given.k AND l.%s = given.s"
            .formatted(lookup, given, key, shardKey);
    insert =
        "INSERT INTO %s (%s, %s) SELECT k, s FROM %s ON CONFLICT (%s) DO NOTHING"
            .formatted(lookup, key, shardKey, given, key);
    read =
        "SELECT given.k, l.%s::text FROM %s l JOIN unnest(CAST(? AS text[])) AS given(k) ON l.%s = given.k::%s"
            .formatted(shardKey, lookup, key, index.keyColumn().type());
    String entries = "SELECT %s::text, %s::text FROM %s".formatted(key, shardKey, lookup);
    firstPage = entries + " ORDER BY " + key + " LIMIT ?";
    page =
        "%s WHERE %s > CAST(? AS text)::%s ORDER BY %s LIMIT ?"
            .formatted(entries, key, index.keyColumn().type(), key);
    ownerless =
        "SELECT given.k::text, given.s::text FROM %s WHERE NOT EXISTS (SELECT FROM %s o WHERE o.%s = given.k AND o.%s = given.s)"
            .formatted(given, index.gsi().owner().quoted(), key, shardKey);
  }

  /** Removes the entries that are there exactly so; the others are left alone. */
  int delete(Connection connection, List<Entry> entries) throws SQLException {
    return update(connection, delete, entries);
  }

  /** Adds the entries whose key has none; how many those were. */
  int insert(Connection connection, List<Entry> entries) throws SQLException {
    return update(connection, insert, entries);
  }

  /** The shard keys that the entries of these keys name; a key without entry is absent. */
  Map<String, String> read(Connection connection, Collection<String> keys) throws SQLException {
    Map<String, String> holders = new LinkedHashMap<>();
    try (PreparedStatement statement = connection.prepareStatement(read)) {
      statement.setArray(1, texts(connection, List.copyOf(keys)));
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          holders.put(rows.getString(1), rows.getString(2));
        }
      }
    }
    return holders;
  }

  /** The next entries in key order after a key, or the first ones. */
  List<Entry> page(Connection connection, Optional<String> after, int limit) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(after.isPresent() ? page : firstPage)) {
      int parameter = 1;
      if (after.isPresent()) {
        statement.setString(parameter++, after.get());
      }
      statement.setInt(parameter, limit);
      return entries(statement);
    }
  }

  /** Of these entries, those without an owner row on the connection's shard. Locks nothing. */
  List<Entry> ownerless(Connection connection, List<Entry> entries) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(ownerless)) {
      bind(connection, statement, entries);
      return entries(statement);
    }
  }

  private static int update(Connection connection, String sql, List<Entry> entries)
      throws SQLException {
    if (entries.isEmpty()) {
      return 0;
    }
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      bind(connection, statement, entries);
      return statement.executeUpdate();
    }
  }

  private static void bind(Connection connection, PreparedStatement statement, List<Entry> entries)
      throws SQLException {
    statement.setArray(1, texts(connection, entries.stream().map(Entry::key).toList()));
    statement.setArray(2, texts(connection, entries.stream().map(Entry::shardKey).toList()));
  }

  static Array texts(Connection connection, List<String> values) throws SQLException {
    return connection.createArrayOf("text", values.toArray());
  }

  private static List<Entry> entries(PreparedStatement statement) throws SQLException {
    List<Entry> entries = new ArrayList<>();
    try (ResultSet rows = statement.executeQuery()) {
      while (rows.next()) {
        entries.add(new Entry(rows.getString(1), rows.getString(2)));
      }
    }
    return entries;
  }
}
