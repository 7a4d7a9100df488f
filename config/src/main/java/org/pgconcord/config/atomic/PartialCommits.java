package org.pgconcord.config.atomic;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.pgconcord.config.catalog.CatalogConnection;

/**
 * The catalog's log of partial commits: {@value #KEPT} of them at most, for {@value #KEPT_DAYS}
 * days. Blocks; any thread but an event loop.
 */
public final class PartialCommits implements AutoCloseable {
  private static final int KEPT = 1_000;
  private static final int KEPT_DAYS = 30;

  private static final String ADD =
      "INSERT INTO pgconcord.partial_commit (ended_at, database, role, shards, outcomes, cause)"
          + " VALUES (?, ?, ?, ?, ?, ?)";

  private static final String AGE =
      "DELETE FROM pgconcord.partial_commit WHERE ended_at < now() - interval '"
          + KEPT_DAYS
          + " days' OR id <= (SELECT max(id) FROM pgconcord.partial_commit) - "
          + KEPT;

  private final CatalogConnection session;

  public PartialCommits(Supplier<Connection> source) {
    this.session = new CatalogConnection(source);
  }

  public void add(PartialCommit commit) {
    session.write(
        connection -> {
          try (PreparedStatement insert = connection.prepareStatement(ADD);
              Statement age = connection.createStatement()) {
            insert.setObject(1, commit.endedAt().atOffset(ZoneOffset.UTC));
            insert.setString(2, commit.database());
            insert.setString(3, commit.user());
            insert.setArray(
                4, connection.createArrayOf("text", commit.outcomes().keySet().toArray()));
            insert.setArray(
                5, connection.createArrayOf("text", commit.outcomes().values().toArray()));
            insert.setString(6, commit.cause());
            return insert.executeUpdate() + age.executeUpdate(AGE);
          }
        });
  }

  /** The newest first. */
  public List<PartialCommit> newest(int limit) {
    return session.read(
        connection -> {
          List<PartialCommit> commits = new ArrayList<>();
          try (PreparedStatement query =
              connection.prepareStatement(
                  "SELECT ended_at, database, role, shards, outcomes, cause"
                      + " FROM pgconcord.partial_commit ORDER BY ended_at DESC, id DESC LIMIT ?")) {
            query.setInt(1, limit);
            try (ResultSet row = query.executeQuery()) {
              while (row.next()) {
                commits.add(commit(row));
              }
            }
          }
          return commits;
        });
  }

  private static PartialCommit commit(ResultSet row) throws SQLException {
    String[] shards = (String[]) row.getArray(4).getArray();
    String[] outcomes = (String[]) row.getArray(5).getArray();
    Map<String, String> byShard = new LinkedHashMap<>();
    for (int i = 0; i < shards.length; i++) {
      byShard.put(shards[i], outcomes[i]);
    }
    return new PartialCommit(
        row.getObject(1, java.time.OffsetDateTime.class).toInstant(),
        row.getString(2),
        row.getString(3),
        byShard,
        row.getString(6));
  }

  @Override
  public void close() {
    session.close();
  }
}
