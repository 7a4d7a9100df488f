package org.pgconcord.cdc.slot;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.pgconcord.cdc.change.StreamName;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.Identifiers;
import org.pgconcord.config.value.TableName;

/**
 * The publication of each stream: whole tables, partitions as their root, every operation.
 *
 * <p>Publishing a table whose replica identity does not carry enough would make the application's
 * own UPDATE and DELETE fail, and so would a column list. Therefore the identity is checked in the
 * transaction that publishes, under a lock that keeps ALTER TABLE out and lets writers in.
 */
public final class Publications {
  private final SlotNames names;
  private final StreamConnections connections;

  public Publications(SlotNames names, StreamConnections connections) {
    this.names = names;
    this.connections = connections;
  }

  /**
   * Publishes a table on the stream, creating the publication when it is the first.
   *
   * @param needed the columns that an old row image must carry
   * @throws ConcordException {@code cdc/replica-identity} when it would not
   */
  public void publish(StreamName stream, TableName table, Collection<String> needed)
      throws SQLException {
    try (Connection connection = connections.open(stream)) {
      connection.setAutoCommit(false);
      try (Statement statement = connection.createStatement()) {
        statement.execute("SET LOCAL lock_timeout = '10s'");
        statement.execute("LOCK TABLE " + table.quoted() + " IN SHARE UPDATE EXCLUSIVE MODE");
        Optional<ConcordException> refusal = identityProblem(connection, stream, table, needed);
        if (refusal.isPresent()) {
          throw refusal.get();
        }
        add(connection, statement, names.publication(stream), table);
        connection.commit();
      }
    }
  }

  private static final String GENERATED_TOO = "publish_generated_columns = stored";

  private static void add(
      Connection connection, Statement statement, String publication, TableName table)
      throws SQLException {
    String quoted = Identifiers.quote(publication);
    if (!exists(connection, publication)) {
      statement.execute(
          "CREATE PUBLICATION "
              + quoted
              + " FOR TABLE "
              + table.quoted()
              + " WITH (publish = 'insert, update, delete, truncate',"
              + " publish_via_partition_root = true"
              + (generatedToo(connection) ? ", " + GENERATED_TOO : "")
              + ")");
      return;
    }
    if (generatedToo(connection)) {
      statement.execute("ALTER PUBLICATION " + quoted + " SET (" + GENERATED_TOO + ")");
    }
    if (!tables(connection, publication).contains(table)) {
      statement.execute("ALTER PUBLICATION " + quoted + " ADD TABLE " + table.quoted());
    }
  }

  /**
   * From 18 on a server refuses the application's own UPDATE of a table with replica identity FULL
   * and a stored generated column unless the publication has that column too.
   */
  private static boolean generatedToo(Connection connection) throws SQLException {
    return connection.getMetaData().getDatabaseMajorVersion() >= 18;
  }

  /** What the publication holds now; empty when there is none. */
  public Set<TableName> published(StreamName stream) throws SQLException {
    try (Connection connection = connections.open(stream)) {
      return tables(connection, names.publication(stream));
    }
  }

  /**
   * What has changed since the table was published so that its stream no longer tells everything;
   * asked again and again while the tail runs, for an ALTER leaves no trace in the stream.
   */
  public Optional<ConcordException> problem(
      StreamName stream, TableName table, Collection<String> needed) throws SQLException {
    try (Connection connection = connections.open(stream)) {
      if (!tables(connection, names.publication(stream)).contains(table)) {
        return Optional.of(
            ErrorCode.CHANGE_UNREADABLE.because(
                "table " + table + " on " + stream + " is no longer published"));
      }
      return identityProblem(connection, stream, table, needed);
    }
  }

  /** Takes a table out of the stream; its others stay. */
  public void remove(StreamName stream, TableName table) throws SQLException {
    try (Connection connection = connections.open(stream);
        Statement statement = connection.createStatement()) {
      if (tables(connection, names.publication(stream)).contains(table)) {
        statement.execute(
            "ALTER PUBLICATION "
                + Identifiers.quote(names.publication(stream))
                + " DROP TABLE "
                + table.quoted());
      }
    }
  }

  public void drop(StreamName stream) throws SQLException {
    try (Connection connection = connections.open(stream);
        Statement statement = connection.createStatement()) {
      statement.execute(
          "DROP PUBLICATION IF EXISTS " + Identifiers.quote(names.publication(stream)));
    }
  }

  private static Optional<ConcordException> identityProblem(
      Connection connection, StreamName stream, TableName table, Collection<String> needed)
      throws SQLException {
    Set<String> missing = new TreeSet<>(needed);
    missing.removeAll(identityColumns(connection, table));
    if (missing.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        ErrorCode.REPLICA_IDENTITY
            .because("table " + table + " on " + stream + " does not tell old values of " + missing)
            .withDetail("ALTER TABLE " + table.quoted() + " REPLICA IDENTITY FULL;"));
  }

  /** The columns of an old row image, of every partition when the table has some. */
  private static List<String> identityColumns(Connection connection, TableName table)
      throws SQLException {
    List<String> common = new ArrayList<>();
    boolean first = true;
    try (PreparedStatement statement = connection.prepareStatement(IDENTITY)) {
      statement.setString(1, table.quoted());
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          List<String> columns = texts(rows.getArray(1));
          if (first) {
            common.addAll(columns);
          } else {
            common.retainAll(columns);
          }
          first = false;
        }
      }
    }
    return common;
  }

  private static final String IDENTITY =
      """
      WITH RECURSIVE family AS (
        SELECT ?::pg_catalog.regclass::oid AS oid
        UNION ALL
        SELECT i.inhrelid FROM pg_catalog.pg_inherits i JOIN family f ON i.inhparent = f.oid)
      SELECT ARRAY(
        SELECT a.attname::text FROM pg_catalog.pg_attribute a
         WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
           AND CASE c.relreplident
                 WHEN 'f' THEN true
                 WHEN 'n' THEN false
                 ELSE EXISTS (
                   SELECT FROM pg_catalog.pg_index x
                    WHERE x.indrelid = c.oid AND a.attnum = ANY ((x.indkey::int2[])[0:x.indnkeyatts - 1])
                      AND CASE c.relreplident
                            WHEN 'd' THEN x.indisprimary ELSE x.indisreplident END)
               END)
        FROM pg_catalog.pg_class c JOIN family f ON f.oid = c.oid
       WHERE c.relkind <> 'p' OR NOT EXISTS (
         SELECT FROM pg_catalog.pg_inherits i WHERE i.inhparent = c.oid)
      """;

  private static List<String> texts(Array array) throws SQLException {
    try {
      return List.of((String[]) array.getArray());
    } finally {
      array.free();
    }
  }

  private static boolean exists(Connection connection, String publication) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement("SELECT 1 FROM pg_catalog.pg_publication WHERE pubname = ?")) {
      statement.setString(1, publication);
      try (ResultSet row = statement.executeQuery()) {
        return row.next();
      }
    }
  }

  private static Set<TableName> tables(Connection connection, String publication)
      throws SQLException {
    Set<TableName> tables = new TreeSet<>();
    try (PreparedStatement statement =
        connection.prepareStatement(
            "SELECT n.nspname, c.relname FROM pg_catalog.pg_publication p"
                + " JOIN pg_catalog.pg_publication_rel r ON r.prpubid = p.oid"
                + " JOIN pg_catalog.pg_class c ON c.oid = r.prrelid"
                + " JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace"
                + " WHERE p.pubname = ?")) {
      statement.setString(1, publication);
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          tables.add(new TableName(rows.getString(1), rows.getString(2)));
        }
      }
    }
    return tables;
  }
}
