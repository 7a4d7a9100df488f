package org.pgconcord.daemon.faults;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
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
  private final Connector others;
  private final WriteModel model;
  private final Random random;
  private final boolean faults;
  private final Counts counts = new Counts();

  /** Own rows that are there for sure: number to row. */
  private final Map<Long, Row> mine = new TreeMap<>();

  private long next;
  private @Nullable Connection open;
  private @Nullable Connection reading;

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

  private record Row(long tenant, long user, String email, @Nullable String country, String name) {
    String state() {
      return tenant + "/" + email + "/" + country + "/" + name;
    }

    String values() {
      return "(%d, %d, '%s', %s, '%s')"
          .formatted(tenant, user, email, country == null ? "NULL" : "'" + country + "'", name);
    }

    boolean hot() {
      return email.startsWith("hot") || name.startsWith("hot");
    }

    Row withEmail(String other) {
      return new Row(tenant, user, other, country, name);
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
    this.others = others;
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
    close(reading);
  }

  /** One transaction. */
  void step() {
    Map<Long, Row> before = new HashMap<>(mine);
    Map<Long, Row> after = new HashMap<>(mine);
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

  private Connection reader() throws SQLException {
    if (reading == null) {
      reading = others.connect();
    }
    return reading;
  }

  // --- what it does ----------------------------------------------------------------------------

  private void transaction(Connection connection, Map<Long, Row> rows)
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
  private void underSavepoint(Connection connection, Map<Long, Row> rows) throws SQLException {
    Savepoint savepoint = connection.setSavepoint();
    Map<Long, Row> here = new HashMap<>(rows);
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

  private static void back(Map<Long, Row> rows, Map<Long, Row> here) {
    rows.clear();
    rows.putAll(here);
  }

  private void statement(Connection connection, Map<Long, Row> rows) throws SQLException, Refused {
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

  private Row any(Map<Long, Row> rows) {
    List<Row> all = new ArrayList<>(rows.values());
    return all.get(random.nextInt(all.size()));
  }

  private void insert(Connection connection, Map<Long, Row> rows, int count)
      throws SQLException, Refused {
    List<Row> made = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      long user = ++next;
      String name = random.nextInt(5) == 0 ? "hot" + random.nextInt(HOT_KEYS) : "n" + user;
      String country = List.of("FI", "FR", "").get(random.nextInt(3));
      made.add(new Row(tenant(), user, email(), country.isEmpty() ? null : country, name));
    }
    send(
        connection,
        "INSERT INTO users (tenant_id, user_id, email, country_code, name) VALUES "
            + String.join(", ", made.stream().map(Row::values).toList()),
        made.stream().anyMatch(Row::hot));
    made.forEach(row -> rows.put(row.user(), row));
  }

  private long tenant() {
    return 1L + random.nextInt(TENANTS);
  }

  private String email() {
    return random.nextInt(5) == 0
        ? "hot" + random.nextInt(HOT_KEYS) + "@x.org"
        : "e" + ++next + "@x.org";
  }

  private void delete(Connection connection, Map<Long, Row> rows, Row row)
      throws SQLException, Refused {
    send(
        connection,
        "DELETE FROM users WHERE tenant_id = %d AND user_id = %d"
            .formatted(row.tenant(), row.user()),
        row.hot());
    rows.remove(row.user());
  }

  private void rename(Connection connection, Map<Long, Row> rows, Row row)
      throws SQLException, Refused {
    Row renamed = row.withEmail(email());
    send(
        connection,
        "UPDATE users SET email = '%s' WHERE tenant_id = %d AND user_id = %d"
            .formatted(renamed.email(), row.tenant(), row.user()),
        row.hot() || renamed.hot());
    rows.put(row.user(), renamed);
  }

  /** The keys go with the row, to a tenant that may live on another shard. */
  private void move(Connection connection, Map<Long, Row> rows, Row row)
      throws SQLException, Refused {
    delete(connection, rows, row);
    Row moved = new Row(tenant(), ++next, row.email(), row.country(), row.name());
    send(
        connection,
        "INSERT INTO users (tenant_id, user_id, email, country_code, name) VALUES "
            + moved.values(),
        row.hot());
    rows.put(moved.user(), moved);
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

  private void done(Map<Long, Row> before, Map<Long, Row> after) throws SQLException {
    counts.done++;
    model.done(changes(before, after));
    mine.clear();
    mine.putAll(after);
    try {
      if (!mine.isEmpty() && random.nextInt(4) == 0) {
        mustFind(any(mine));
      }
      if (random.nextInt(4) == 0) {
        mustNotFind(given(before, after));
      }
    } catch (SQLException e) {
      if (!faults) {
        throw new AssertionError("an acknowledged row cannot be read", e);
      }
      close(reading);
      reading = null;
    }
  }

  /** A row that had a key which nobody else wants, and which no row has now. */
  private static Optional<Row> given(Map<Long, Row> before, Map<Long, Row> after) {
    Set<String> kept = after.values().stream().map(Row::email).collect(Collectors.toSet());
    return before.values().stream()
        .filter(row -> !row.email().startsWith("hot") && !kept.contains(row.email()))
        .findFirst();
  }

  /** Nobody has touched it since it was acknowledged. */
  private void mustFind(Row row) throws SQLException {
    if (!found(row)) {
      throw new AssertionError("an acknowledged row is not found by its key: " + row);
    }
    counts.reads++;
  }

  /** That it has gone was acknowledged. */
  private void mustNotFind(Optional<Row> gone) throws SQLException {
    if (gone.isPresent() && found(gone.get())) {
      throw new AssertionError("a row is found by the key that it has given up: " + gone.get());
    }
    counts.reads += gone.isPresent() ? 1 : 0;
  }

  private boolean found(Row row) throws SQLException {
    try (Statement statement = reader().createStatement();
        ResultSet found =
            statement.executeQuery(
                "SELECT user_id FROM users WHERE email = '" + row.email() + "'")) {
      if (!found.next()) {
        return false;
      }
      if (found.getLong(1) != row.user() || found.next()) {
        throw new AssertionError("another row is found by the key of " + row);
      }
      return true;
    }
  }

  private static Map<Long, String> changes(Map<Long, Row> before, Map<Long, Row> after) {
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
      Map<Long, Row> before,
      Map<Long, Row> after,
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

  private void unknown(Map<Long, Row> before, Map<Long, Row> after, boolean atomic) {
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

  private static String state(@Nullable Row row) {
    return row == null ? WriteModel.GONE : row.state();
  }

  /** These rows are left alone from now on. */
  private void forget(Map<Long, Row> before, Map<Long, Row> after) {
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
    close(connection);
  }

  private static void close(@Nullable Connection connection) {
    if (connection != null) {
      try {
        connection.close();
      } catch (SQLException e) {
        // It has ended already.
      }
    }
  }
}
