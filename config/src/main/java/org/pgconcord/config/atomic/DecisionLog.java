package org.pgconcord.config.atomic;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.pgconcord.config.catalog.CatalogConnection;

/**
 * The catalog's memory of transactions over several shards. Blocks; used by any thread, never by an
 * event loop.
 *
 * <h2>Why a transaction is decided once</h2>
 *
 * The decision is one row with the transaction's id as its primary key. Whoever inserts it first
 * has decided; the other's insert returns no row, whether it came later or waited for the first
 * one's commit. It also locks the transaction's own row, so that it inserts nothing when that row
 * has been forgotten: a router that slept through the abort of its transaction, and through the
 * removal of all traces of it, still cannot decide to commit. An id is registered once, so it does
 * not come back.
 *
 * <p>Every method fails with {@code catalog/unavailable} when the answer is lost; what it should
 * have stored may then be stored or not, or be stored in a moment. {@link #settle} makes that sure
 * for a decision.
 */
public final class DecisionLog implements AutoCloseable {
  private static final String REGISTER =
      """
      WITH registered AS (
        INSERT INTO pgconcord.atomic_transaction (id, router) VALUES (?, ?) RETURNING id)
      INSERT INTO pgconcord.prepared (gid, transaction, part, shard, database, role)
      SELECT p.gid, registered.id, p.part, p.shard, p.database, p.role
        FROM registered,
             unnest(?::text[], ?::text[], ?::text[], ?::text[], ?::text[])
               AS p(gid, part, shard, database, role)
      """;

  private static final String DECIDE =
      """
      INSERT INTO pgconcord.decision (transaction, decision, decided_by)
      SELECT id, ?, ? FROM pgconcord.atomic_transaction WHERE id = ? FOR KEY SHARE
      ON CONFLICT (transaction) DO NOTHING
      RETURNING transaction
      """;

  /** The id's digits are the two halves of the advisory lock's key. */
  private static final String TRANSACTIONS =
      """
      SELECT t.id, t.router,
             EXISTS (SELECT FROM pg_catalog.pg_locks l
                      JOIN pg_catalog.pg_database b ON b.oid = l.database
                     WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
                       AND b.datname = pg_catalog.current_database()
                       AND pg_catalog.lpad(pg_catalog.to_hex(l.classid::bigint), 8, '0')
                           || pg_catalog.lpad(pg_catalog.to_hex(l.objid::bigint), 8, '0')
                           = t.router),
             extract(epoch FROM clock_timestamp() - t.registered_at),
             extract(epoch FROM clock_timestamp() - t.finished_at),
             d.decision, d.decided_by, extract(epoch FROM clock_timestamp() - d.decided_at)
        FROM pgconcord.atomic_transaction t
        LEFT JOIN pgconcord.decision d ON d.transaction = t.id
       WHERE ?
       ORDER BY t.registered_at, t.id
      """;

  private static final String PARTICIPANTS =
      """
      SELECT p.transaction, p.gid, p.database, p.role
        FROM pgconcord.prepared p JOIN pgconcord.atomic_transaction t ON t.id = p.transaction
       WHERE ?
       ORDER BY p.transaction, p.gid
      """;

  private static final String OPEN = "t.finished_at IS NULL";

  private final CatalogConnection session;

  /**
   * @param source connections to the catalog database as the service role; a router's own log uses
   *     those that {@link RouterPresence} shows
   */
  public DecisionLog(Supplier<Connection> source) {
    this.session = new CatalogConnection(source);
  }

  /** Stores who will take part; to be called before the first of them is prepared. */
  public void register(String transaction, String router, List<Participant> participants) {
    session.write(
        connection -> {
          try (PreparedStatement insert = connection.prepareStatement(REGISTER)) {
            insert.setString(1, transaction);
            insert.setString(2, router);
            texts(insert, 3, participants.stream().map(p -> p.gid().toString()));
            texts(insert, 4, participants.stream().map(p -> p.part().word()));
            texts(insert, 5, participants.stream().map(p -> p.shard().uid()));
            texts(insert, 6, participants.stream().map(Participant::database));
            texts(insert, 7, participants.stream().map(Participant::role));
            return insert.executeUpdate();
          }
        });
  }

  private static void texts(
      PreparedStatement statement, int at, java.util.stream.Stream<String> values)
      throws SQLException {
    statement.setArray(
        at, statement.getConnection().createArrayOf("text", values.toArray(String[]::new)));
  }

  /**
   * Stores the decision if there is none yet.
   *
   * @return true when this call has decided; false when another one had, or the transaction has
   *     been forgotten
   */
  public boolean decide(String transaction, Decision decision, String by) {
    return session.write(
        connection -> {
          try (PreparedStatement insert = connection.prepareStatement(DECIDE)) {
            insert.setString(1, decision.word());
            insert.setString(2, by);
            insert.setString(3, transaction);
            try (ResultSet row = insert.executeQuery()) {
              return row.next();
            }
          }
        });
  }

  /** The decision, if there is one. */
  public Optional<Decision> decision(String transaction) {
    return session.read(
        connection -> {
          try (PreparedStatement query =
              connection.prepareStatement(
                  "SELECT decision FROM pgconcord.decision WHERE transaction = ?")) {
            query.setString(1, transaction);
            try (ResultSet row = query.executeQuery()) {
              return row.next() ? Optional.of(Decision.of(row.getString(1))) : Optional.empty();
            }
          }
        });
  }

  /**
   * How a transaction has been decided when the answer to {@link #decide} was lost. Where no row is
   * found the lost insert may still be on its way, so {@code abort} is inserted against it. A
   * transaction that has been forgotten was aborted.
   */
  public Decision settle(String transaction, String by) {
    Optional<Decision> stored = decision(transaction);
    if (stored.isEmpty() && decide(transaction, Decision.ABORT, by)) {
      return Decision.ABORT;
    }
    return stored.or(() -> decision(transaction)).orElse(Decision.ABORT);
  }

  /** Notes that these have ended. Not waited for: a lost note is found out again. */
  public void finish(Collection<String> transactions) {
    session.write(
        connection -> {
          try (Statement quickly = connection.createStatement();
              PreparedStatement update =
                  connection.prepareStatement(
                      "UPDATE pgconcord.atomic_transaction SET finished_at = clock_timestamp()"
                          + " WHERE id = ANY (?) AND finished_at IS NULL")) {
            quickly.execute("SET LOCAL synchronous_commit = off");
            texts(update, 1, transactions.stream());
            return update.executeUpdate();
          }
        });
  }

  /** Removes all traces of these. */
  public void forget(Collection<String> transactions) {
    session.write(
        connection -> {
          int removed = 0;
          for (String table :
              List.of(
                  "DELETE FROM pgconcord.decision WHERE transaction = ANY (?)",
                  "DELETE FROM pgconcord.prepared WHERE transaction = ANY (?)",
                  "DELETE FROM pgconcord.atomic_transaction WHERE id = ANY (?)")) {
            try (PreparedStatement delete = connection.prepareStatement(table)) {
              texts(delete, 1, transactions.stream());
              removed += delete.executeUpdate();
            }
          }
          return removed;
        });
  }

  /** Those that have not ended, oldest first. */
  public List<AtomicTransaction> open() {
    return transactions(OPEN);
  }

  /** All that the catalog remembers, oldest first. */
  public List<AtomicTransaction> all() {
    return transactions("true");
  }

  public Optional<AtomicTransaction> find(String transaction) {
    return transactions("t.id = " + org.pgconcord.config.value.Identifiers.literal(transaction))
        .stream()
        .findFirst();
  }

  private List<AtomicTransaction> transactions(String which) {
    return session.read(
        connection -> {
          Map<String, List<Participant>> participants = participants(connection, which);
          List<AtomicTransaction> transactions = new ArrayList<>();
          try (Statement statement = connection.createStatement();
              ResultSet row = statement.executeQuery(TRANSACTIONS.replace("?", which))) {
            while (row.next()) {
              transactions.add(
                  transaction(row, participants.getOrDefault(row.getString(1), List.of())));
            }
          }
          return transactions;
        });
  }

  private static Map<String, List<Participant>> participants(Connection connection, String which)
      throws SQLException {
    Map<String, List<Participant>> participants = new LinkedHashMap<>();
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(PARTICIPANTS.replace("?", which))) {
      while (row.next()) {
        participants
            .computeIfAbsent(row.getString(1), id -> new ArrayList<>())
            .add(
                new Participant(
                    GlobalId.parse(row.getString(2)).orElseThrow(),
                    row.getString(3),
                    row.getString(4)));
      }
    }
    return participants;
  }

  private static AtomicTransaction transaction(ResultSet row, List<Participant> participants)
      throws SQLException {
    String decision = row.getString(6);
    return new AtomicTransaction(
        row.getString(1),
        row.getString(2),
        row.getBoolean(3),
        seconds(row, 4).orElse(Duration.ZERO),
        decision == null
            ? Optional.empty()
            : Optional.of(
                new AtomicTransaction.Decided(
                    Decision.of(decision),
                    row.getString(7),
                    seconds(row, 8).orElse(Duration.ZERO))),
        seconds(row, 5),
        participants);
  }

  private static Optional<Duration> seconds(ResultSet row, int at) throws SQLException {
    double seconds = row.getDouble(at);
    return row.wasNull()
        ? Optional.empty()
        : Optional.of(Duration.ofMillis(Math.max(0, Math.round(seconds * 1000))));
  }

  @Override
  public void close() {
    session.close();
  }
}
