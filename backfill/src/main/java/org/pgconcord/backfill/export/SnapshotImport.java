package org.pgconcord.backfill.export;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;
import org.pgconcord.backfill.OwnerSnapshot;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.Identifiers;

/** Starts a transaction that sees just what an exported snapshot sees. */
final class SnapshotImport {
  /** "invalid snapshot identifier", and "the source transaction is not running anymore". */
  private static final Set<String> GONE = Set.of("22023", "55000", "42704");

  private SnapshotImport() {}

  static void begin(Connection connection, OwnerSnapshot snapshot) throws SQLException {
    connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
    connection.setReadOnly(true);
    try (Statement statement = connection.createStatement()) {
      statement.execute("SET TRANSACTION SNAPSHOT " + Identifiers.literal(snapshot.name()));
    } catch (SQLException e) {
      if (GONE.contains(e.getSQLState())) {
        throw lost(snapshot).withCause(e);
      }
      throw e;
    }
  }

  static ConcordException lost(OwnerSnapshot snapshot) {
    return ErrorCode.BACKFILL_SNAPSHOT_LOST.because(
        "the snapshot " + snapshot.name() + " of shard " + snapshot.shard() + " is gone");
  }
}
