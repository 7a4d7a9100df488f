package org.pgconcord.daemon.faults;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A client of the users table: random transactions over rows of its own, some of whose keys others
 * want too, in both transaction modes, with savepoints and rollbacks; what it is told goes into the
 * model. An error that nothing explains ends it.
 */
final class RandomWriter {
  static final int TENANTS = 24;
  private static final int HOT_KEYS = 40;
  private static final int MOST_ROWS = 30;
  static final long ROWS_PER_CLIENT = 10_000_000;

  /** What others' writes may do to one. */
  private static final Set<String> CONTENTION = Set.of("23505", "55P03", "40P01", "40001");

  /** What a fault may do to one; a client that meets it connects again. */
  private static final Set<String> FAULTS = Set.of("57P01", "57P02", "57P03", "25P02", "40000");

  /** What one transaction may not do to one key, whoever else writes. */
  private static final List<String> LIMITS =
      List.of("[tx/atomic-refused]", "[gsi/move-needs-atomic]");

  /** It will be in, but whoever reads it now may not find it. */
  private static final String PENDING = "[tx/commit-pending]";

  private final Connector connector;
  private final ReadBack readBack;
  private final WriteModel model;
  private final Random random;
  private final boolean faults;
  private final Counts counts = new Counts();

  /** Own rows that are there for sure: number to row. */
  private final Map<Long, UserRow> mine = new TreeMap<>();

  private long next;
  private @Nullable Connection open;

  interface Connector {
    Connection connect() throws SQLException;
  }

  /** What the writer has seen; read when it has ended. */
  static final class Counts {
    long writes;
    long done;
    long rolledBack;
    long refused;
    long unknown;
    long partial;
    long reads;

    /** Told that it is decided to commit, and not there yet. */
    long pending;

    final Map<String, Long> states = new TreeMap<>();

    /** A refusal of a kind that the router makes is told with its first words. */
    private void note(String state, SQLException e) {
      String words = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
      boolean ours = state.endsWith("0A000") || state.endsWith("XX000");
      states.merge(ours ? state + " \"" + words + "\"" : state, 1L, Long::sum);
    }
  }

  /** Thrown when a statement of the transaction was refused and nothing caught it. */
  private static final class Refused extends Exception {
    private static final long serialVersionUID = 1;
    private final SQLException cause;

    Refused(SQLException cause) {
      super(cause);
      this.cause = cause;
    }
  }

  /**
   * @param others to another session, of another router where there is one: what was acknowledged
   *     is read there
   * @param client tells clients apart
   * @param faults whether servers die meanwhile
   */
  RandomWriter(
      Connector connector,
      Connector others,
      WriteModel model,
      int client,
      long seed,
      boolean faults) {
    this.connector = connector;
    this.readBack = new ReadBack(others);
    this.model = model;
    this.random = new Random(seed * 31 + client);
    this.faults = faults;
    this.next = (client + 1L) * ROWS_PER_CLIENT;
  }

  Counts counts() {
    return counts;
  }

  void close() {
    drop();
    readBack.close();
  }

  /** One transaction. */
  void step() {
    Map<Long, UserRow> before = new HashMap<>(mine);
    Map<Long, UserRow> after = new HashMap<>(mine);
    boolean atomic = random.nextInt(3) == 0;
    boolean explicit = random.nextInt(3) > 0;
    boolean committing = false;
    try {
      Connection connection = connection();
      execute(connection, "SET pgconcord.tx_mode = " + (atomic ? "atomic" : "multi"));
      connection.setAutoCommit(!explicit);
      committing = !explicit;
      if (explicit) {
        transaction(connection, after);
        if (random.nextInt(8) == 0) {
          connection.rollback();
          counts.rolledBack++;
          return;
        }
        committing = true;
        connection.commit();
      } else {
        statement(connection, after);
      }
      done(before, after);
    } catch (Refused e) {
      refused(e.cause, before, after, committing, atomic && explicit);
    } catch (SQLException e) {
      refused(e, before, after, committing, atomic && explicit);
    }
  }

  private Connection connection() throws SQLException {
    if (open == null) {
      open = connector.connect();
    }
    return open;
  }

  // --- what it does ----------------------------------------------------------------------------

  private void transaction(Connection connection, Map<Long, UserRow> rows)
      throws SQLException, Refused {
    for (int left = 1 + random.nextInt(4); left > 0; left--) {
      if (random.nextInt(3) == 0) {
        underSavepoint(connection, rows);
      } else {
        statement(connection, rows);
      }
    }
  }

  /** A refusal inside is undone, and the transaction goes on. */
  private void underSavepoint(Connection connection, Map<Long, UserRow> rows) throws SQLException {
    Savepoint savepoint = connection.setSavepoint();
    Map<Long, UserRow> here = new HashMap<>(rows);
    try {
      statement(connection, rows);
      if (random.nextBoolean()) {
        statement(connection, rows);
      }
      if (random.nextInt(3) == 0) {
        connection.rollback(savepoint);
        back(rows, here);
      } else if (random.nextBoolean()) {
        connection.releaseSavepoint(savepoint);
      }
    } catch (Refused e) {
      counts.note("undone " + e.cause.getSQLState(), e.cause);
      connection.rollback(savepoint);
      back(rows, here);
    }
  }

  private static void back(Map<Long, UserRow> rows, Map<Long, UserRow> here) {
    rows.clear();
    rows.putAll(here);
  }

  /**
   * What is to become of the rows is noted before the statement is sent: where nobody knows whether
   * it has committed, they may look like that.
   */
  private void statement(Connection connection, Map<Long, UserRow> rows)
      throws SQLException, Refused {
    counts.writes++;
    int what = rows.size() >= MOST_ROWS ? 3 + random.nextInt(4) : random.nextInt(7);
    if (rows.isEmpty() || what < 2) {
      insert(connection, rows, 1);
    } else if (what == 2) {
      insert(connection, rows, 2 + random.nextInt(4));
    } else if (what == 3) {
      delete(connection, rows, any(rows));
    } else if (what == 4) {
      rename(connection, rows, any(rows));
    } else if (what == 5 && !connection.getAutoCommit()) {
      move(connection, rows, any(rows));
    } else {
      delete(connection, rows, any(rows));
    }
  }

  private UserRow any(Map<Long, UserRow> rows) {
    List<UserRow> all = new ArrayList<>(rows.values());
    return all.get(random.nextInt(all.size()));
  }

  private void insert(Connection connection, Map<Long, UserRow> rows, int count)
      throws SQLException, Refused {
    List<UserRow> made = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      long user = ++next;
      String name = random.nextInt(5) == 0 ? "hot" + random.nextInt(HOT_KEYS) : "n" + user;
      String country = List.of("FI", "FR", "").get(random.nextInt(3));
      made.add(new UserRow(tenant(), user, email(), country.isEmpty() ? null : country, name));
    }
    made.forEach(row -> rows.put(row.user(), row));
    send(connection, UserRow.insert(made), made.stream().anyMatch(UserRow::hot));
  }

  private long tenant() {
    return 1L + random.nextInt(TENANTS);
  }

  private String email() {
    return random.nextInt(5) == 0
        ? "hot" + random.nextInt(HOT_KEYS) + "@x.org"
        : "e" + ++next + "@x.org";
  }

  private void delete(Connection connection, Map<Long, UserRow> rows, UserRow row)
      throws SQLException, Refused {
    rows.remove(row.user());
    send(connection, row.delete(), row.hot());
  }

  private void rename(Connection connection, Map<Long, UserRow> rows, UserRow row)
      throws SQLException, Refused {
    UserRow renamed = row.withEmail(email());
    rows.put(row.user(), renamed);
    send(connection, row.update(renamed), row.hot() || renamed.hot());
  }

  /** The keys go with the row, to a tenant that may live on another shard. */
  private void move(Connection connection, Map<Long, UserRow> rows, UserRow row)
      throws SQLException, Refused {
    delete(connection, rows, row);
    UserRow moved = new UserRow(tenant(), ++next, row.email(), row.country(), row.name());
    rows.put(moved.user(), moved);
    send(connection, UserRow.insert(List.of(moved)), row.hot());
  }

  private void send(Connection connection, String sql, boolean contended)
      throws SQLException, Refused {
    try {
      execute(connection, sql);
    } catch (SQLException e) {
      if (e.getSQLState().startsWith("08") || connection.isClosed()) {
        throw e;
      }
      if (!faults && !contended && e.getSQLState().equals("23505")) {
        throw new AssertionError("nobody else has these keys: " + sql, e);
      }
      throw new Refused(e);
    }
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  // --- what it is told -------------------------------------------------------------------------

  private void done(Map<Long, UserRow> before, Map<Long, UserRow> after) throws SQLException {
    counts.done++;
    model.done(changes(before, after));
    mine.clear();
    mine.putAll(after);
    try {
      if (!mine.isEmpty() && random.nextInt(4) == 0) {
        readBack.mustFind(any(mine));
        counts.reads++;
      }
      if (random.nextInt(4) == 0) {
        counts.reads += readBack.mustNotFindWhatIsGone(before.values(), after.values()) ? 1 : 0;
      }
    } catch (SQLException e) {
      if (!faults) {
        throw new AssertionError("an acknowledged row cannot be read", e);
      }
      readBack.close();
    }
  }

  private static Map<Long, String> changes(Map<Long, UserRow> before, Map<Long, UserRow> after) {
    Map<Long, String> changes = new TreeMap<>();
    after.forEach(
        (user, row) -> {
          if (!row.equals(before.get(user))) {
            changes.put(user, row.state());
          }
        });
    before.keySet().stream()
        .filter(user -> !after.containsKey(user))
        .forEach(user -> changes.put(user, WriteModel.GONE));
    return changes;
  }

  private void refused(
      SQLException e,
      Map<Long, UserRow> before,
      Map<Long, UserRow> after,
      boolean committing,
      boolean atomic) {
    String state = String.valueOf(e.getSQLState());
    counts.note(state, e);
    boolean hungUp = state.startsWith("08") && !state.equals("08007");
    if (state.equals("2D000")) {
      counts.partial++;
      model.unknown(changes(before, after));
      forget(before, after);
    } else if (String.valueOf(e.getMessage()).contains(PENDING)) {
      counts.pending++;
      model.done(changes(before, after));
      forget(before, after);
    } else if (state.equals("08007") || (hungUp && committing)) {
      counts.unknown++;
      unknown(before, after, atomic);
    } else {
      counts.refused++;
      model.refused(
          changes(before, after).keySet(),
          "%s, committing %s, %s: %s".formatted(Instant.now(), committing, state, e.getMessage()));
      boolean expected =
          CONTENTION.contains(state)
              || LIMITS.stream().anyMatch(String.valueOf(e.getMessage())::contains)
              || (faults && (hungUp || expected(state)));
      if (!expected) {
        throw new AssertionError("not expected: " + state + " " + e.getMessage(), e);
      }
    }
    lost(e);
  }

  private static boolean expected(String state) {
    return FAULTS.contains(state) || state.startsWith("08");
  }

  private void unknown(Map<Long, UserRow> before, Map<Long, UserRow> after, boolean atomic) {
    Map<Long, String> changes = changes(before, after);
    if (atomic) {
      Map<Long, String> old = new TreeMap<>();
      changes.keySet().forEach(user -> old.put(user, state(before.get(user))));
      model.unknownAsOne(old, changes);
    } else {
      model.unknown(changes);
    }
    forget(before, after);
  }

  private static String state(@Nullable UserRow row) {
    return row == null ? WriteModel.GONE : row.state();
  }

  /** These rows are left alone from now on. */
  private void forget(Map<Long, UserRow> before, Map<Long, UserRow> after) {
    changes(before, after).keySet().forEach(mine::remove);
  }

  /** Ends the transaction; with another connection where this one is gone. */
  private void lost(SQLException e) {
    try {
      Connection connection = open;
      if (connection != null && !connection.isClosed() && !e.getSQLState().startsWith("08")) {
        if (!connection.getAutoCommit()) {
          connection.rollback();
        }
        return;
      }
    } catch (SQLException again) {
      e.addSuppressed(again);
    }
    drop();
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
  }

  private void drop() {
    Connection connection = open;
    open = null;
    if (connection != null) {
      try {
        connection.close();
      } catch (SQLException e) {
        // It has ended already.
      }
    }
  }
}
