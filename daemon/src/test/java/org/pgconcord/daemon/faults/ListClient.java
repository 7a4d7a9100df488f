package org.pgconcord.daemon.faults;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.pgconcord.testkit.history.Level;
import org.pgconcord.testkit.history.Op;
import org.pgconcord.testkit.history.Transaction;
import org.pgconcord.testkit.history.Transaction.Outcome;

/**
 * A client that appends to the lists in {@code users.name} of one tenant in each transaction, and
 * reads them by primary key or by email, and notes what it did and saw. What it appends under a
 * savepoint that it goes back to belongs to a transaction of its own, which was aborted.
 */
final class ListClient {
  private static final int LISTS = 3;

  private final RandomWriter.Connector connector;
  private final Shared shared;
  private final Random random;
  private final List<Transaction> history = new ArrayList<>();
  private @Nullable Connection open;

  /**
   * What clients of one run have in common.
   *
   * @param tenants one on each shard
   * @param each transactions of a generation: its lists belong to no other, so that lists and
   *     circles stay short
   */
  record Shared(
      Level level,
      List<Long> tenants,
      int each,
      AtomicInteger transactions,
      AtomicInteger values,
      AtomicLong refused) {
    Shared(Level level, List<Long> tenants, int each) {
      this(level, tenants, each, new AtomicInteger(), new AtomicInteger(), new AtomicLong());
    }

    /** All lists of the generations up to that of this transaction. */
    List<String> rows(int transaction) {
      List<String> rows = new ArrayList<>();
      for (long tenant : tenants) {
        for (int user = 0; user < (transaction / each + 1) * LISTS; user++) {
          rows.add(
              "(%d, %d, '%s', '')"
                  .formatted(tenant, tenant * 1_000_000 + user, email(tenant, user)));
        }
      }
      return rows;
    }

    static String email(long tenant, long user) {
      return "list" + tenant + "." + user + "@x.org";
    }
  }

  ListClient(RandomWriter.Connector connector, Shared shared, long seed) {
    this.connector = connector;
    this.shared = shared;
    this.random = new Random(seed);
  }

  List<Transaction> history() {
    return history;
  }

  /** One transaction. */
  void step() {
    int number = shared.transactions().incrementAndGet();
    long tenant = shared.tenants().get(random.nextInt(shared.tenants().size()));
    int generation = number / shared.each();
    List<Op> ops = new ArrayList<>();
    boolean committing = false;
    Outcome outcome = Outcome.ABORTED;
    try {
      Connection connection = connection();
      execute(connection, "BEGIN ISOLATION LEVEL " + shared.level().sql());
      for (int left = 1 + random.nextInt(4); left > 0; left--) {
        if (random.nextInt(6) == 0) {
          undone(connection, tenant, generation);
        } else {
          ops.add(op(connection, tenant, generation));
        }
      }
      if (random.nextInt(12) == 0) {
        execute(connection, "ROLLBACK");
      } else {
        committing = true;
        execute(connection, "COMMIT");
        outcome = Outcome.COMMITTED;
      }
    } catch (SQLException e) {
      shared.refused().incrementAndGet();
      boolean lost = String.valueOf(e.getSQLState()).startsWith("08");
      outcome = committing && lost ? Outcome.UNKNOWN : Outcome.ABORTED;
      end(e, lost);
    }
    history.add(new Transaction(shared.values().incrementAndGet(), ops, outcome));
  }

  /** Appends and takes it back. */
  private void undone(Connection connection, long tenant, int generation) throws SQLException {
    execute(connection, "SAVEPOINT s");
    Op append = append(connection, tenant, user(tenant, generation));
    history.add(Transaction.aborted(shared.values().incrementAndGet(), append));
    execute(connection, "ROLLBACK TO s");
  }

  private Op op(Connection connection, long tenant, int generation) throws SQLException {
    long user = user(tenant, generation);
    return random.nextInt(5) < 2
        ? append(connection, tenant, user)
        : read(connection, tenant, user);
  }

  private long user(long tenant, int generation) {
    return tenant * 1_000_000 + (long) generation * LISTS + random.nextInt(LISTS);
  }

  private Op append(Connection connection, long tenant, long user) throws SQLException {
    int value = shared.values().incrementAndGet();
    execute(
        connection,
        "UPDATE users SET name = name || ',%d' WHERE tenant_id = %d AND user_id = %d"
            .formatted(value, tenant, user));
    return new Op.Append(key(user), value);
  }

  private Op read(Connection connection, long tenant, long user) throws SQLException {
    String where =
        random.nextInt(4) == 0
            ? "email = '" + Shared.email(tenant, user % 1_000_000) + "'"
            : "tenant_id = " + tenant + " AND user_id = " + user;
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT name FROM users WHERE " + where)) {
      if (!row.next()) {
        throw new AssertionError("a list is not there: " + where);
      }
      return new Op.Read(key(user), values(row.getString(1)));
    }
  }

  static String key(long user) {
    return "list " + user;
  }

  static List<Integer> values(String text) {
    return text.isEmpty()
        ? List.of()
        : Arrays.stream(text.substring(1).split(",")).map(Integer::valueOf).toList();
  }

  private Connection connection() throws SQLException {
    Connection connection = open;
    if (connection == null || connection.isClosed()) {
      connection = connector.connect();
      open = connection;
    }
    return connection;
  }

  private void end(SQLException e, boolean lost) {
    try {
      if (open != null && !lost) {
        execute(open, "ROLLBACK");
        return;
      }
    } catch (SQLException again) {
      e.addSuppressed(again);
    }
    close();
  }

  void close() {
    try {
      if (open != null) {
        open.close();
      }
    } catch (SQLException e) {
      // It has ended already.
    }
    open = null;
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
