package org.pgconcord.daemon.demo;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import org.pgconcord.testkit.cluster.sample.SampleUser;
import org.pgconcord.testkit.cluster.sample.SampleUsers;

/** What an application does through the router: INSERT, UPDATE of a name and DELETE by key. */
final class RouterChanges implements Writer.Changes {
  private static final long FIRST_ID = 1_000_000_000L;

  private final Connection router;
  private final PreparedStatement insert;
  private final PreparedStatement update;
  private final PreparedStatement delete;
  private final SampleUsers users;
  private final RowPool rows;
  private long step;

  RouterChanges(Connection router, SampleUsers users, RowPool rows) throws SQLException {
    this.router = router;
    this.users = users;
    this.rows = rows;
    insert =
        router.prepareStatement(
            "INSERT INTO users (tenant_id, user_id, email, name, country_code)"
                + " VALUES (?, ?, ?, ?, ?)");
    update =
        router.prepareStatement("UPDATE users SET name = ? WHERE tenant_id = ? AND user_id = ?");
    delete = router.prepareStatement("DELETE FROM users WHERE tenant_id = ? AND user_id = ?");
  }

  @Override
  public void next(WriterTally tally) throws SQLException {
    long now = step++;
    if (now % 2 == 0) {
      insert(now);
      tally.count(WriterTally.Kind.INSERT);
    } else if (now % 4 == 1) {
      update();
      tally.count(WriterTally.Kind.UPDATE);
    } else {
      delete();
      tally.count(WriterTally.Kind.DELETE);
    }
  }

  @Override
  public void close() throws SQLException {
    router.close();
  }

  private void insert(long now) throws SQLException {
    SampleUser user = users.user(FIRST_ID + now);
    insert.setLong(1, user.tenantId());
    insert.setLong(2, user.userId());
    insert.setString(3, user.email());
    insert.setString(4, user.name());
    insert.setString(5, user.countryCode());
    one(insert.executeUpdate(), "INSERT", user.userId());
    rows.put(new RowPool.Row(user.tenantId(), user.userId(), user.email()));
  }

  private void update() throws SQLException {
    RowPool.Row row = rows.take();
    update.setString(1, "Renamed " + row.userId());
    update.setLong(2, row.tenantId());
    update.setLong(3, row.userId());
    one(update.executeUpdate(), "UPDATE", row.userId());
    rows.put(row);
  }

  private void delete() throws SQLException {
    RowPool.Row row = rows.take();
    delete.setLong(1, row.tenantId());
    delete.setLong(2, row.userId());
    one(delete.executeUpdate(), "DELETE", row.userId());
  }

  private static void one(int count, String what, long userId) throws SQLException {
    if (count != 1) {
      throw new SQLException(what + " of user " + userId + " changed " + count + " rows");
    }
  }
}
