package org.pgconcord.daemon.demo;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Map;
import java.util.TreeMap;
import org.pgconcord.config.sharding.ShardLocator;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.testkit.cluster.ShardCluster;
import org.pgconcord.testkit.cluster.sample.SampleTopology;
import org.pgconcord.testkit.cluster.sample.SampleUser;
import org.pgconcord.testkit.cluster.sample.SampleUsers;

/**
 * What happens behind the router's back, directly on the shards: INSERT, DELETE, UPDATE of the
 * email, and rows that move to another tenant, where need be to another shard.
 */
final class DirectChanges implements Writer.Changes {
  private static final long FIRST_ID = 2_000_000_000L;

  private final ShardLocator locator;
  private final SampleUsers users;
  private final RowPool rows;
  private final Map<ShardId, Connection> shards = new TreeMap<>();
  private long step;

  DirectChanges(ShardCluster cluster, SampleUsers users, RowPool rows) throws SQLException {
    this.locator = SampleTopology.locator(cluster.shards());
    this.users = users;
    this.rows = rows;
    for (ShardId shard : cluster.shards()) {
      shards.put(shard, cluster.asOwner(shard));
    }
  }

  @Override
  public void next(WriterTally tally) throws SQLException {
    long now = step++;
    switch ((int) (now % 5)) {
      case 0, 2 -> {
        SampleUser user = users.user(FIRST_ID + now);
        insert(new RowPool.Row(user.tenantId(), user.userId(), user.email()), user.name());
        tally.count(WriterTally.Kind.INSERT);
      }
      case 1 -> {
        changeEmail(rows.take(), "changed." + now + "@example.com");
        tally.count(WriterTally.Kind.UPDATE);
      }
      case 3 -> {
        delete(rows.take());
        tally.count(WriterTally.Kind.DELETE);
      }
      default -> {
        move(rows.take(), users.tenant(FIRST_ID + now));
        tally.count(WriterTally.Kind.MOVE);
      }
    }
  }

  @Override
  public void close() throws SQLException {
    for (Connection each : shards.values()) {
      each.close();
    }
  }

  private void insert(RowPool.Row row, String name) throws SQLException {
    one(
        row.tenantId(),
        "INSERT INTO users (tenant_id, user_id, email, name, country_code)"
            + " VALUES (?, ?, ?, ?, 'CH')",
        row.tenantId(),
        row.userId(),
        row.email(),
        name);
    rows.put(row);
  }

  private void changeEmail(RowPool.Row row, String email) throws SQLException {
    one(
        row.tenantId(),
        "UPDATE users SET email = ? WHERE tenant_id = ? AND user_id = ?",
        email,
        row.tenantId(),
        row.userId());
    rows.put(new RowPool.Row(row.tenantId(), row.userId(), email));
  }

  private void delete(RowPool.Row row) throws SQLException {
    one(
        row.tenantId(),
        "DELETE FROM users WHERE tenant_id = ? AND user_id = ?",
        row.tenantId(),
        row.userId());
  }

  private void move(RowPool.Row row, long tenant) throws SQLException {
    if (home(row.tenantId()).equals(home(tenant))) {
      one(
          tenant,
          "UPDATE users SET tenant_id = ? WHERE tenant_id = ? AND user_id = ?",
          tenant,
          row.tenantId(),
          row.userId());
      rows.put(new RowPool.Row(tenant, row.userId(), row.email()));
    } else {
      delete(row);
      insert(new RowPool.Row(tenant, row.userId(), row.email()), "Moved " + row.userId());
    }
  }

  private void one(long tenant, String sql, Object... values) throws SQLException {
    Connection shard = java.util.Objects.requireNonNull(shards.get(home(tenant)));
    try (PreparedStatement statement = shard.prepareStatement(sql)) {
      for (int i = 0; i < values.length; i++) {
        statement.setObject(i + 1, values[i]);
      }
      int count = statement.executeUpdate();
      if (count != 1) {
        throw new SQLException(count + " rows changed by " + sql);
      }
    }
  }

  private ShardId home(long tenant) {
    return locator.locate(Long.toString(tenant));
  }
}
