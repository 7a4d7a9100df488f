package org.pgconcord.verifier.settle;

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
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.Tuple;
import org.pgconcord.gsi.Entry;
import org.pgconcord.gsi.EntrySql;
import org.pgconcord.gsi.EntryStatement;
import org.pgconcord.gsi.LookupIndex;
import org.pgconcord.gsi.SettlementRunner;
import org.pgconcord.verifier.report.OwnerRef;
import org.pgconcord.verifier.search.KeyState;

/**
 * Reads one key under the locks of {@link org.pgconcord.gsi.Settlement}, and lets everything go
 * again.
 *
 * <p>With an entry: its row is locked, then the key lock is taken exclusively on the shard that it
 * names, then the owner rows are read in new statements. Who creates a row with this key holds the
 * entry or the key lock from before its PRE commits to the end of its MAIN, so nobody is in between
 * while we read: an owner that is not seen is not there and not coming.
 *
 * <p>Without one: the owner rows are read, the entry is inserted (which waits for anybody who is
 * adding or removing it), the rows are read again in new statements, and the insert is rolled back.
 * A row that is there then has lost its entry: its PRE committed before its MAIN, and a DELETE
 * removes the entry in its POST before its MAIN commits.
 *
 * <p>For one thread; after an error all its sessions are closed, and with them every lock.
 */
public final class LockedCheck implements AutoCloseable {
  private static final Set<String> RETRY = Set.of("55P03", "40P01", "40001");
  private static final int ROUNDS = 8;

  private final LookupIndex index;
  private final SettlementRunner.Sessions source;
  private final OwnerReader owners;
  private final Duration lockTimeout;
  private final EntrySql sql;
  private final Map<ShardId, Connection> creators = new HashMap<>();
  private final Map<ShardId, Connection> lookups = new HashMap<>();

  public LockedCheck(
      LookupIndex index,
      SettlementRunner.Sessions source,
      OwnerReader owners,
      Duration lockTimeout) {
    this.index = index;
    this.source = source;
    this.owners = owners;
    this.lockTimeout = lockTimeout;
    this.sql = new EntrySql(index);
  }

  /** The key's state; empty when others held its locks too long or kept changing it. */
  public Optional<KeyState> check(Tuple identity) throws SQLException {
    try {
      for (int round = 0; round < ROUNDS; round++) {
        Optional<KeyState> state = attempt(identity);
        if (state.isPresent()) {
          return state;
        }
      }
      return Optional.empty();
    } catch (SQLException e) {
      close();
      if (RETRY.contains(e.getSQLState())) {
        return Optional.empty();
      }
      throw e;
    }
  }

  private Optional<KeyState> attempt(Tuple identity) throws SQLException {
    Connection entries = session(lookups, index.lookupShard(identity));
    List<List<@Nullable String>> locked = rows(entries, sql.lock(identity));
    if (locked.isEmpty()) {
      entries.rollback();
      return withoutEntry(identity);
    }
    Tuple holder = sql.holder(locked.get(0));
    Connection creator = session(creators, index.shardOf(new Entry(identity, holder)));
    rows(creator, sql.excludeCreators(identity));
    List<OwnerRef> found = owners.owners(identity);
    creator.rollback();
    entries.rollback();
    return Optional.of(new KeyState(identity, found, holder));
  }

  private Optional<KeyState> withoutEntry(Tuple identity) throws SQLException {
    List<OwnerRef> found = owners.owners(identity);
    if (found.isEmpty()) {
      return Optional.of(new KeyState(identity, found, null));
    }
    Connection entries = session(lookups, index.lookupShard(identity));
    boolean added =
        !rows(entries, sql.insert(new Entry(identity, found.get(0).holder()))).isEmpty();
    List<OwnerRef> again = added ? owners.owners(identity) : List.of();
    entries.rollback();
    return added ? Optional.of(new KeyState(identity, again, null)) : Optional.empty();
  }

  private Connection session(Map<ShardId, Connection> of, ShardId shard) throws SQLException {
    Connection known = of.get(shard);
    if (known == null) {
      known = open(shard);
      of.put(shard, known);
    }
    return known;
  }

  private Connection open(ShardId shard) throws SQLException {
    Connection session = source.open(shard);
    try (Statement statement = session.createStatement()) {
      statement.execute("SET lock_timeout = " + lockTimeout.toMillis());
    }
    session.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
    session.setAutoCommit(false);
    return session;
  }

  private static List<List<@Nullable String>> rows(Connection session, EntryStatement command)
      throws SQLException {
    EntryStatement jdbc = command.forJdbc();
    try (PreparedStatement statement = session.prepareStatement(jdbc.sql())) {
      for (int i = 0; i < jdbc.parameters().size(); i++) {
        statement.setObject(i + 1, jdbc.parameters().get(i), Types.OTHER);
      }
      try (ResultSet row = statement.executeQuery()) {
        List<List<@Nullable String>> rows = new ArrayList<>();
        while (row.next()) {
          List<@Nullable String> values = new ArrayList<>();
          for (int column = 1; column <= row.getMetaData().getColumnCount(); column++) {
            values.add(row.getString(column));
          }
          rows.add(values);
        }
        return rows;
      }
    }
  }

  @Override
  public void close() {
    lookups.values().forEach(LockedCheck::quietly);
    creators.values().forEach(LockedCheck::quietly);
    lookups.clear();
    creators.clear();
  }

  private static void quietly(Connection session) {
    try {
      session.close();
    } catch (SQLException e) {
      // It is gone already, and its locks with it.
    }
  }
}
