package org.pgconcord.verifier.settle;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.pgconcord.config.value.Identifiers;
import org.pgconcord.config.value.Lsn;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.gsi.LookupIndex;
import org.pgconcord.gsi.SettlementRunner;
import org.pgconcord.verifier.report.OwnerRef;

/**
 * Fresh reads on the owner shards: each statement is a transaction of its own. One session per
 * shard, opened when first needed, for one thread.
 */
public final class OwnerReader implements AutoCloseable {
  private static final int MOST_PRIMARY_KEYS = 10;

  private final LookupIndex index;
  private final SettlementRunner.Sessions source;
  private final Map<ShardId, Connection> open = new TreeMap<>();
  private final String owner;
  private final String key;
  private final String shardKey;

  public OwnerReader(LookupIndex index, SettlementRunner.Sessions source) {
    this.index = index;
    this.source = source;
    this.owner = index.gsi().owner().quoted();
    this.key = Identifiers.quote(index.keyColumn().name());
    this.shardKey = Identifiers.quote(index.shardKeyColumn().name());
  }

  Connection session(ShardId shard) throws SQLException {
    Connection known = open.get(shard);
    if (known == null) {
      known = source.open(shard);
      open.put(shard, known);
    }
    return known;
  }

  /** All owner rows of a key, over all shards. */
  List<OwnerRef> owners(String keyText) throws SQLException {
    List<OwnerRef> owners = new ArrayList<>();
    String sql =
        "SELECT %s::text FROM %s WHERE %s = ? AND %s IS NOT NULL"
            .formatted(shardKey, owner, key, shardKey);
    for (ShardId shard : index.ownerShards()) {
      try (PreparedStatement statement = session(shard).prepareStatement(sql)) {
        statement.setObject(1, keyText, Types.OTHER);
        try (ResultSet row = statement.executeQuery()) {
          while (row.next()) {
            owners.add(new OwnerRef(shard, row.getString(1)));
          }
        }
      }
    }
    return owners;
  }

  /** The primary keys of the rows of one owner, each as a list of texts. */
  public List<List<String>> primaryKeys(OwnerRef ref, String keyText) throws SQLException {
    String where = "%s = ? AND %s = ?".formatted(key, shardKey);
    return primaryKeys(ref.shard(), where, List.of(keyText, ref.shardKey()));
  }

  List<List<String>> primaryKeys(ShardId shard, String where, List<String> values)
      throws SQLException {
    List<String> columns = index.owner().primaryKey();
    List<List<String>> keys = new ArrayList<>();
    if (columns.isEmpty()) {
      return keys;
    }
    String list = columns.stream().map(Identifiers::quote).collect(Collectors.joining(", "));
    String sql =
        "SELECT %s FROM %s WHERE %s LIMIT %d".formatted(list, owner, where, MOST_PRIMARY_KEYS);
    try (PreparedStatement statement = session(shard).prepareStatement(sql)) {
      for (int i = 0; i < values.size(); i++) {
        statement.setObject(i + 1, values.get(i), Types.OTHER);
      }
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          List<String> texts = new ArrayList<>();
          for (int column = 1; column <= columns.size(); column++) {
            texts.add(String.valueOf(row.getString(column)));
          }
          keys.add(texts);
        }
      }
    }
    return keys;
  }

  /** A position that each owner shard's log has reached now. */
  public Map<ShardId, Lsn> positions() throws SQLException {
    Map<ShardId, Lsn> positions = new TreeMap<>();
    for (ShardId shard : index.ownerShards()) {
      try (Statement statement = session(shard).createStatement();
          ResultSet row = statement.executeQuery("SELECT pg_current_wal_insert_lsn()::text")) {
        row.next();
        positions.put(shard, Lsn.parse(row.getString(1)));
      }
    }
    return positions;
  }

  /**
   * Whether a transaction that began before a moment is still open on a shard, prepared ones
   * included.
   */
  public boolean openSince(ShardId shard, Instant moment) throws SQLException {
    String sql =
        "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE xact_start <= ? AND datname ="
            + " current_database() AND backend_type = 'client backend' AND pid <>"
            + " pg_backend_pid()) OR EXISTS (SELECT FROM pg_prepared_xacts WHERE prepared <= ?"
            + " AND database = current_database())";
    try (PreparedStatement statement = session(shard).prepareStatement(sql)) {
      statement.setTimestamp(1, Timestamp.from(moment));
      statement.setTimestamp(2, Timestamp.from(moment));
      try (ResultSet row = statement.executeQuery()) {
        return row.next() && row.getBoolean(1);
      }
    }
  }

  @Override
  public void close() {
    for (Connection session : open.values()) {
      try {
        session.close();
      } catch (SQLException e) {
        // It is gone already.
      }
    }
    open.clear();
  }
}
