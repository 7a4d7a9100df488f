package org.pgconcord.daemon.demo;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.pgconcord.config.sharding.ShardLocator;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.testkit.cluster.ShardCluster;
import org.pgconcord.testkit.cluster.sample.SampleTopology;

/**
 * Chapter: five changes made directly on shards after the index is enabled. Each leaves an entry
 * missing or wrong until the auditor has seen it in the shard's stream.
 */
final class DirectWrites {
  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final long POLL_NANOS = Duration.ofMillis(20).toNanos();
  private static final long FIRST_ID = 3_000_000_000L;

  /** What the lookup table must say in the end: no tenant, or this one. */
  private record Expected(String email, Optional<Long> tenant) {}

  private final Narrator narrator;
  private final ShardCluster cluster;
  private final ShardLocator locator;
  private final RouterClient router;

  DirectWrites(Narrator narrator, ShardCluster cluster, RouterClient router) {
    this.narrator = narrator;
    this.cluster = cluster;
    this.locator = SampleTopology.locator(cluster.shards());
    this.router = router;
  }

  void run() throws SQLException {
    narrator.chapter("Change rows behind the router's back: the auditor repairs the entries");
    long tenant = tenantOn(cluster.shards().get(0));
    long other = tenantOn(cluster.shards().get(cluster.shards().size() - 1));
    repaired("INSERT", () -> write(other, insert(other, 1)), present(1, other));
    repaired("INSERT", () -> write(tenant, insert(tenant, 2)), present(2, tenant));
    repaired(
        "UPDATE of the email",
        () ->
            write(other, "UPDATE users SET email = 'direct.3@example.com' WHERE " + key(other, 1)),
        List.of(
            new Expected(email(1), Optional.empty()), new Expected(email(3), Optional.of(other))));
    repaired(
        "move to another tenant",
        () -> {
          write(tenant, "DELETE FROM users WHERE " + key(tenant, 2));
          write(other, insert(other, 2));
        },
        present(2, other));
    repaired(
        "DELETE",
        () -> write(other, "DELETE FROM users WHERE " + key(other, 2)),
        List.of(new Expected(email(2), Optional.empty())));
  }

  /** A change as a step that may fail. */
  private interface Change {
    void make() throws SQLException;
  }

  private void repaired(String what, Change change, List<Expected> expected) throws SQLException {
    change.make();
    long began = System.nanoTime();
    boolean right = await(expected, began + LIMIT.toNanos());
    double seconds = (System.nanoTime() - began) / 1e9;
    String name = String.format(Locale.ROOT, "%-23s", what);
    narrator.judge(
        right && answers(expected),
        right
            ? String.format(Locale.ROOT, "%s entry right after %.1f s", name, seconds)
            : name + " entry still wrong after " + LIMIT.toSeconds() + " s");
  }

  private boolean await(List<Expected> expected, long deadline) throws SQLException {
    try (Connection lookup = cluster.asService(cluster.shards().get(0))) {
      while (System.nanoTime() - deadline < 0) {
        List<Expected> actual = new ArrayList<>();
        for (Expected each : expected) {
          actual.add(new Expected(each.email(), entry(lookup, each.email())));
        }
        if (actual.equals(expected)) {
          return true;
        }
        LockSupport.parkNanos(POLL_NANOS);
      }
      return false;
    }
  }

  /** The router's answers agree with the entries. */
  private boolean answers(List<Expected> expected) throws SQLException {
    for (Expected each : expected) {
      int rows =
          router
              .query("SELECT tenant_id FROM users WHERE email = '" + each.email() + "'")
              .rowCount();
      if (rows != (each.tenant().isPresent() ? 1 : 0)) {
        return false;
      }
    }
    return true;
  }

  private static Optional<Long> entry(Connection lookup, String email) throws SQLException {
    try (PreparedStatement statement =
        lookup.prepareStatement("SELECT tenant_id FROM users_by_email WHERE email = ?")) {
      statement.setString(1, email);
      try (ResultSet rows = statement.executeQuery()) {
        return rows.next() ? Optional.of(rows.getLong(1)) : Optional.empty();
      }
    }
  }

  private void write(long tenant, String sql) throws SQLException {
    try (Connection owner = cluster.asOwner(locator.locate(Long.toString(tenant)));
        Statement statement = owner.createStatement()) {
      statement.execute(sql);
    }
  }

  private long tenantOn(ShardId shard) {
    long tenant = 1;
    while (!locator.locate(Long.toString(tenant)).equals(shard)) {
      tenant++;
    }
    return tenant;
  }

  private static List<Expected> present(int number, long tenant) {
    return List.of(new Expected(email(number), Optional.of(tenant)));
  }

  private static String insert(long tenant, int number) {
    return "INSERT INTO users (tenant_id, user_id, email, name, country_code) VALUES (%d, %d, '%s', 'Direct', 'IS')"
        .formatted(tenant, FIRST_ID + number, email(number));
  }

  private static String key(long tenant, int number) {
    return "tenant_id = " + tenant + " AND user_id = " + (FIRST_ID + number);
  }

  private static String email(int number) {
    return "direct." + number + "@example.com";
  }
}
