package org.pgconcord.config.catalog;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * The leases of all routers of a cluster, as the catalog has them. A router renews its own each
 * second and trusts it by its own monotonic clock; others judge it by the catalog server's clock,
 * by which it lapses later. Nothing that is lost by a wrong clock is safety: a router without a
 * lease is kept out by the fences on the shards.
 *
 * <p>Blocks; any thread, on a session of its own.
 */
public final class RouterLeases implements AutoCloseable {
  /** How long a lease lasts from the moment when its renewal was sent. */
  public static final Duration LASTS = Duration.ofSeconds(10);

  private final CatalogConnection session;

  public RouterLeases(Supplier<Connection> source) {
    this.session = new CatalogConnection(source);
  }

  /**
   * One router.
   *
   * @param address where it listens, for people
   * @param acknowledgedRevision nothing that began there under an earlier one is open any more
   * @param live its lease has not lapsed by the catalog server's clock
   */
  public record Row(
      String id,
      String address,
      long acknowledgedRevision,
      OffsetDateTime leaseUntil,
      boolean live) {}

  /**
   * Renews, or takes, a router's lease.
   *
   * @return the catalog's revision
   */
  public long renew(String id, String address, long acknowledgedRevision) {
    return session.write(
        connection -> {
          try (PreparedStatement upsert =
              connection.prepareStatement(
                  "WITH renewed AS (INSERT INTO pgconcord.router AS r"
                      + " (id, address, acknowledged_revision, lease_until)"
                      + " VALUES (?, ?, ?, clock_timestamp() + ? * interval '1 millisecond')"
                      + " ON CONFLICT (id) DO UPDATE SET address = excluded.address,"
                      + " acknowledged_revision = excluded.acknowledged_revision,"
                      + " lease_until = excluded.lease_until)"
                      + " SELECT revision FROM pgconcord.cluster")) {
            upsert.setString(1, id);
            upsert.setString(2, address);
            upsert.setLong(3, acknowledgedRevision);
            upsert.setLong(4, LASTS.toMillis());
            try (ResultSet row = upsert.executeQuery()) {
              row.next();
              return row.getLong(1);
            }
          }
        });
  }

  /** Gives a lease back: the router has ended with nothing open, or its lapse has been seen to. */
  public void remove(String id) {
    session.write(
        connection -> {
          try (PreparedStatement delete =
              connection.prepareStatement("DELETE FROM pgconcord.router WHERE id = ?")) {
            delete.setString(1, id);
            return delete.executeUpdate();
          }
        });
  }

  /** Every router that has a lease or left one that lapsed, by id. */
  public List<Row> all() {
    return session.read(connection -> where(connection, "true"));
  }

  /** Those whose lease lapsed more than {@code grace} ago. */
  public List<Row> lapsed(Duration grace) {
    return session.read(
        connection ->
            where(
                connection,
                "lease_until < clock_timestamp() - interval '%d milliseconds'"
                    .formatted(grace.toMillis())));
  }

  /** Those with a live lease that still may work under a revision below this one. */
  public List<Row> behind(long revision) {
    return session.read(connection -> behind(connection, revision));
  }

  static List<Row> behind(Connection connection, long revision) throws SQLException {
    return where(
        connection,
        "lease_until >= clock_timestamp() AND acknowledged_revision < %d".formatted(revision));
  }

  private static List<Row> where(Connection connection, String condition) throws SQLException {
    List<Row> rows = new ArrayList<>();
    try (PreparedStatement query =
            connection.prepareStatement(
                "SELECT id, address, acknowledged_revision, lease_until,"
                    + " lease_until >= clock_timestamp() FROM pgconcord.router WHERE "
                    + condition
                    + " ORDER BY id");
        ResultSet row = query.executeQuery()) {
      while (row.next()) {
        rows.add(
            new Row(
                row.getString(1),
                row.getString(2),
                row.getLong(3),
                row.getObject(4, OffsetDateTime.class),
                row.getBoolean(5)));
      }
    }
    return rows;
  }

  @Override
  public void close() {
    session.close();
  }
}
