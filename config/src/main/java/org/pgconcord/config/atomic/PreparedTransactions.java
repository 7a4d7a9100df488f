package org.pgconcord.config.atomic;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.pgconcord.config.value.Identifiers;

/** The prepared transactions of one server, over a session of the service role. */
public final class PreparedTransactions {
  private static final String UNDEFINED_OBJECT = "42704";
  private static final String NOT_IN_PREREQUISITE_STATE = "55000";

  /** Joined by oid, so that a renamed role has its present name. */
  private static final String SEEN =
      """
      SELECT gid, owner, database, extract(epoch FROM clock_timestamp() - prepared)
        FROM pg_catalog.pg_prepared_xacts
       WHERE pg_catalog.starts_with(gid, 'pgconcord_')
       ORDER BY gid
      """;

  private PreparedTransactions() {}

  /** What became of the order to end one. */
  public enum Answer {
    ENDED,
    /** There is none of that name: what that means, the decision says. */
    ABSENT,
    /** Another session is at it. */
    BUSY
  }

  /** Those of any pgConcord, in all databases of the server, in order of their names. */
  public static List<PreparedTransaction> seen(Connection connection) throws SQLException {
    List<PreparedTransaction> seen = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(SEEN)) {
      while (row.next()) {
        Optional<GlobalId> gid = GlobalId.parse(row.getString(1));
        if (gid.isPresent()) {
          seen.add(
              new PreparedTransaction(
                  gid.get(),
                  Optional.ofNullable(row.getString(2)),
                  row.getString(3),
                  Duration.ofMillis(Math.round(row.getDouble(4) * 1000))));
        }
      }
    }
    return seen;
  }

  /**
   * Ends one as its owner, whom the session's role must be able to become: membership alone is not
   * enough. The connection is to the database in which it was prepared, in autocommit.
   *
   * @throws SQLException when the role is refused or the server does not answer; it may have ended
   */
  public static Answer end(Connection connection, GlobalId gid, String owner, Decision decision)
      throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("SET ROLE " + Identifiers.quote(owner));
      try {
        statement.execute(decision.sql() + Identifiers.literal(gid.toString()));
        return Answer.ENDED;
      } catch (SQLException e) {
        return answer(e);
      } finally {
        if (!connection.isClosed()) {
          statement.execute("RESET ROLE");
        }
      }
    }
  }

  private static Answer answer(SQLException e) throws SQLException {
    if (UNDEFINED_OBJECT.equals(e.getSQLState())) {
      return Answer.ABSENT;
    }
    if (NOT_IN_PREREQUISITE_STATE.equals(e.getSQLState())) {
      return Answer.BUSY;
    }
    throw e;
  }

  /** How many the server may hold; 0 when it refuses PREPARE TRANSACTION. */
  public static int limit(Connection connection) throws SQLException {
    try (PreparedStatement query =
            connection.prepareStatement(
                "SELECT pg_catalog.current_setting('max_prepared_transactions')::int");
        ResultSet row = query.executeQuery()) {
      row.next();
      return row.getInt(1);
    }
  }
}
