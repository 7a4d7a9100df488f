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
import org.pgconcord.config.value.Tuple;
import org.pgconcord.gsi.IndexColumn;
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

  public OwnerReader(LookupIndex index, SettlementRunner.Sessions source) {
    this.index = index;
    this.source = source;
    this.owner = index.gsi().owner().quoted();
  }

  Connection session(ShardId shard) throws SQLException {
    Connection known = open.get(shard);
    if (known == null) {
      known = source.open(shard);
      open.put(shard, known);
    }
    return known;
  }

  /** All owner rows of an identity, over all shards. */
  List<OwnerRef> owners(Tuple identity) throws SQLException {
    List<OwnerRef> owners = new ArrayList<>();
    List<IndexColumn> holder = index.holder();
    String columns =
        holder.stream().map(c -> ", " + c.quoted() + "::text").collect(Collectors.joining());
    String whole =
        holder.stream()
            .map(c -> " AND " + c.quoted() + " IS NOT NULL")
            .collect(Collectors.joining());
    String sql =
        "SELECT 1%s FROM %s WHERE %s%s".formatted(columns, owner, equal(index.identity()), whole);
    for (ShardId shard : index.ownerShards()) {
      try (PreparedStatement statement = session(shard).prepareStatement(sql)) {
        bind(statement, identity.values());
        try (ResultSet row = statement.executeQuery()) {
          while (row.next()) {
            owners.add(new OwnerRef(shard, new Tuple(texts(row, 2, holder.size()))));
          }
        }
      }
    }
    return owners;
  }

  /** The primary keys of the rows of one owner, each as a list of texts. */
  public List<List<String>> primaryKeys(OwnerRef ref, Tuple identity) throws SQLException {
    return primaryKeys(ref.shard(), equal(index.columns()), identity.then(ref.holder()).values());
  }

  static String equal(List<IndexColumn> columns) {
    return columns.stream().map(c -> c.quoted() + " = ?").collect(Collectors.joining(" AND "));
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
      bind(statement, values);
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          keys.add(texts(row, 1, columns.size()));
        }
      }
    }
    return keys;
  }

  private static void bind(PreparedStatement statement, List<String> values) throws SQLException {
    for (int i = 0; i < values.size(); i++) {
      statement.setObject(i + 1, values.get(i), Types.OTHER);
    }
  }

  static List<String> texts(ResultSet row, int from, int columns) throws SQLException {
    List<String> texts = new ArrayList<>(columns);
    for (int column = from; column < from + columns; column++) {
      texts.add(String.valueOf(row.getString(column)));
    }
    return texts;
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
