package org.pgconcord.config.catalog;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.pgconcord.config.topology.Topology;
import org.pgconcord.config.topology.TopologyReader;

/** The rows of {@code topology}: the documents, each under its revision. */
final class TopologyRows {
  private TopologyRows() {}

  static Optional<Topology> newestTopology(Connection connection) throws SQLException {
    return newest(connection).flatMap(document -> TopologyReader.read(document.text()).topology());
  }

  static void insert(Connection connection, long revision, String document, String comment)
      throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement(
            "INSERT INTO pgconcord.topology (revision, document, comment) VALUES (?, ?, ?)")) {
      insert.setLong(1, revision);
      insert.setString(2, document);
      insert.setString(3, comment);
      insert.executeUpdate();
    }
  }

  static Optional<CatalogState.Document> newest(Connection connection) throws SQLException {
    return documents(connection, 1).stream().findFirst();
  }

  static List<CatalogState.Document> documents(Connection connection, int limit)
      throws SQLException {
    return documents(connection, Long.MAX_VALUE, limit);
  }

  /** Those up to a revision, the newest first. */
  static List<CatalogState.Document> documents(Connection connection, long upTo, int limit)
      throws SQLException {
    List<CatalogState.Document> documents = new ArrayList<>();
    try (PreparedStatement query =
        connection.prepareStatement(
            "SELECT revision, document, comment, applied_at FROM pgconcord.topology"
                + " WHERE revision <= ? ORDER BY revision DESC LIMIT ?")) {
      query.setLong(1, upTo);
      query.setInt(2, limit);
      try (ResultSet row = query.executeQuery()) {
        while (row.next()) {
          documents.add(
              new CatalogState.Document(
                  row.getLong(1),
                  row.getString(2),
                  row.getString(3),
                  row.getObject(4, OffsetDateTime.class).toInstant()));
        }
      }
    }
    return documents;
  }
}
