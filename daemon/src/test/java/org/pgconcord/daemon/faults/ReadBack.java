package org.pgconcord.daemon.faults;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collection;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Looks by key for what one client was told, in another session: once, at once. A read that fails
 * says nothing; one that answers must be right.
 */
final class ReadBack implements AutoCloseable {
  private final RandomWriter.Connector connector;
  private @Nullable Connection open;

  ReadBack(RandomWriter.Connector connector) {
    this.connector = connector;
  }

  /** Nobody has touched the row since it was acknowledged. */
  void mustFind(UserRow row) throws SQLException {
    if (!found(row)) {
      throw new AssertionError("an acknowledged row is not found by its key: " + row);
    }
  }

  /**
   * One that had a key which nobody else wants, and which no row has now; that was acknowledged.
   *
   * @return false when there is none
   */
  boolean mustNotFindWhatIsGone(Collection<UserRow> before, Collection<UserRow> after)
      throws SQLException {
    Set<String> kept = after.stream().map(UserRow::email).collect(Collectors.toSet());
    Optional<UserRow> gone =
        before.stream().filter(row -> !row.hotEmail() && !kept.contains(row.email())).findFirst();
    if (gone.isPresent() && found(gone.get())) {
      throw new AssertionError("a row is found by the key that it has given up: " + gone.get());
    }
    return gone.isPresent();
  }

  private boolean found(UserRow row) throws SQLException {
    Connection session = open == null ? connector.connect() : open;
    open = session;
    try (Statement statement = session.createStatement();
        ResultSet found = statement.executeQuery(row.byEmail())) {
      if (!found.next()) {
        return false;
      }
      if (found.getLong(1) != row.user() || found.next()) {
        throw new AssertionError("another row is found by the key of " + row);
      }
      return true;
    }
  }

  /** The next look opens another session. */
  @Override
  public void close() {
    Connection session = open;
    open = null;
    if (session != null) {
      try {
        session.close();
      } catch (SQLException e) {
        // It has ended already.
      }
    }
  }
}
