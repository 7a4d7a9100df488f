package org.pgconcord.backfill.load;

import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.pgconcord.backfill.BuildFindings.DuplicateKey;
import org.pgconcord.backfill.BuildFindings.Owner;
import org.pgconcord.backfill.Sessions;
import org.pgconcord.config.value.Identifiers;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.Tuple;
import org.pgconcord.gsi.Entry;
import org.pgconcord.gsi.IndexColumn;
import org.pgconcord.gsi.LookupIndex;

/**
 * Names the owners of duplicate keys: the lookup shard turns the kept bytes into text, the owner
 * shards say which rows have them now. The entries are those of the snapshots; a row that is gone
 * meanwhile leaves its owner in the list without primary keys, for the stream has yet to tell.
 */
final class DuplicateOwners {
  /** More than this many keys are not looked up on the owner shards, only listed. */
  private static final int MOST_LOOKED_UP = 10_000;

  private final LookupIndex index;
  private final Sessions sessions;

  DuplicateOwners(LookupIndex index, Sessions sessions) {
    this.index = index;
    this.sessions = sessions;
  }

  /** Needs an open transaction on the lookup shard; leaves a temporary table until its end. */
  List<DuplicateKey> name(Connection transaction, DuplicateRows rows)
      throws SQLException, IOException {
    List<Entry> entries = asText(transaction, rows.bytes());
    List<DuplicateKey> keys = new ArrayList<>();
    List<Owner> owners = new ArrayList<>();
    try (OwnerLookup lookup = new OwnerLookup()) {
      for (int i = 0; i < entries.size(); i++) {
        if (rows.kept().get(i).first() && !owners.isEmpty()) {
          keys.add(new DuplicateKey(entries.get(i - 1).identity(), owners));
          owners = new ArrayList<>();
        }
        owners.add(lookup.owner(rows.kept().get(i).shard(), entries.get(i), i));
      }
    }
    if (!owners.isEmpty()) {
      keys.add(new DuplicateKey(entries.get(entries.size() - 1).identity(), owners));
    }
    return keys;
  }

  private List<Entry> asText(Connection transaction, byte[] rows) throws SQLException {
    String columns =
        index.columns().stream().map(IndexColumn::quoted).collect(Collectors.joining(", "));
    List<Entry> entries = new ArrayList<>();
    try (Statement statement = transaction.createStatement()) {
      statement.execute("DROP TABLE IF EXISTS pg_temp.pgconcord_duplicate");
      statement.execute(
          "CREATE TEMP TABLE pgconcord_duplicate ON COMMIT DROP AS SELECT %s FROM %s LIMIT 0"
              .formatted(columns, index.gsi().lookup().quoted()));
      String target = "pg_temp.pgconcord_duplicate (" + columns + ")";
      try (CopyInStream out = new CopyInStream(transaction, target)) {
        out.write(rows, 0, rows.length);
        out.finish();
      }
      try (ResultSet row =
          statement.executeQuery(
              "SELECT %s FROM pg_temp.pgconcord_duplicate ORDER BY ctid".formatted(columns))) {
        while (row.next()) {
          entries.add(index.entry(new Tuple(texts(row, index.columns().size()))));
        }
      }
    }
    return entries;
  }

  private static List<String> texts(ResultSet row, int columns) throws SQLException {
    List<String> texts = new ArrayList<>(columns);
    for (int column = 1; column <= columns; column++) {
      texts.add(String.valueOf(row.getString(column)));
    }
    return texts;
  }

  /** Asks the owner shards for primary keys, one session for each shard that has such rows. */
  private final class OwnerLookup implements AutoCloseable {
    private final java.util.Map<ShardId, Connection> open = new java.util.HashMap<>();

    Owner owner(ShardId shard, Entry entry, int ordinal) throws SQLException {
      return new Owner(
          shard,
          entry.holder(),
          ordinal < MOST_LOOKED_UP ? primaryKeys(session(shard), entry) : List.of());
    }

    private Connection session(ShardId shard) throws SQLException {
      Connection known = open.get(shard);
      if (known == null) {
        known = sessions.open(shard);
        open.put(shard, known);
      }
      return known;
    }

    private List<List<String>> primaryKeys(Connection session, Entry entry) throws SQLException {
      List<String> columns = index.owner().primaryKey();
      if (columns.isEmpty()) {
        return List.of();
      }
      String sql =
          "SELECT %s FROM %s WHERE %s LIMIT 100"
              .formatted(
                  columns.stream().map(Identifiers::quote).collect(Collectors.joining(", ")),
                  index.gsi().owner().quoted(),
                  index.columns().stream()
                      .map(c -> c.quoted() + " = ?")
                      .collect(Collectors.joining(" AND ")));
      try (PreparedStatement statement = session.prepareStatement(sql)) {
        List<String> values = entry.row().values();
        for (int i = 0; i < values.size(); i++) {
          statement.setObject(i + 1, values.get(i), Types.OTHER);
        }
        try (ResultSet row = statement.executeQuery()) {
          List<List<String>> keys = new ArrayList<>();
          while (row.next()) {
            keys.add(texts(row, columns.size()));
          }
          return keys;
        }
      }
    }

    @Override
    public void close() {
      open.values().forEach(sessions::close);
    }
  }
}
