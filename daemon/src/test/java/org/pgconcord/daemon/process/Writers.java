package org.pgconcord.daemon.process;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.sharding.ShardLocator;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.testkit.cluster.ShardCluster;
import org.pgconcord.testkit.cluster.sample.SampleTopology;

/**
 * Threads that change users until they are stopped; every email is made once, so that no two rows
 * ever have the same. A thread that fails stops, and {@link #stop} throws what it met.
 */
final class Writers implements AutoCloseable {
  private static final int TENANTS = 1_000;

  /** Rows that a writer through a router keeps; systems that begin empty live on them. */
  private static final int KEPT = 20;

  /** Rows that a writer on the shards has before it begins to change and delete them. */
  private static final int FIRST = 5;

  /** At 10 ms four writers take a core from what they are to meet: for the long tier. */
  private static final long PAUSE_NANOS =
      TimeUnit.MILLISECONDS.toNanos(Long.getLong("pgconcord.writers.pause", 40));

  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private final AtomicLong changes = new AtomicLong();
  private final AtomicLong reads = new AtomicLong();
  private final List<Thread> threads = new ArrayList<>();
  private final AtomicLong numbers;
  private volatile boolean stopping;

  private record Row(long tenant, long user, String email) {}

  private interface Work {
    void run(Random random) throws Exception;
  }

  /**
   * @param first the first user_id to use; above those of other writers and of the sample
   */
  Writers(long first) {
    numbers = new AtomicLong(first);
  }

  /** Inserts through the router, reads each row back by its email at once, deletes some. */
  Writers throughRouter(SampleSystem system, int count, long seed) {
    return through(system::router, count, seed);
  }

  /** Opens a session through some router. */
  interface Sessions {
    Connection open() throws SQLException;
  }

  /** The same through any router. */
  Writers through(Sessions router, int count, long seed) {
    for (int i = 0; i < count; i++) {
      start("router-writer-" + i, seed + i, random -> routerLoop(router, random));
    }
    return this;
  }

  /** Inserts, changes emails, moves between tenants and deletes, behind the router's back. */
  Writers onShards(ShardCluster cluster, int count, long seed) {
    for (int i = 0; i < count; i++) {
      start("shard-writer-" + i, seed + 100 + i, random -> shardLoop(cluster, random));
    }
    return this;
  }

  /** Every form of write that an extended index takes, through any router. */
  Writers byEveryForm(Sessions router, int count, long seed) {
    for (int i = 0; i < count; i++) {
      start(
          "form-writer-" + i,
          seed + 200 + i,
          random -> {
            FormWriter writer = new FormWriter(random, numbers::incrementAndGet);
            try (Connection client = router.open()) {
              while (!stopping) {
                reads.addAndGet(writer.step(client));
                changes.incrementAndGet();
                pause();
              }
            }
          });
    }
    return this;
  }

  private void start(String name, long seed, Work work) {
    Thread thread =
        new Thread(
            () -> {
              try {
                work.run(new Random(seed));
              } catch (Exception | AssertionError e) {
                failure.compareAndSet(null, e);
              }
            },
            name);
    thread.setDaemon(true);
    threads.add(thread);
    thread.start();
  }

  private Row next(Random random) {
    long number = numbers.incrementAndGet();
    return new Row(1 + random.nextInt(TENANTS), number, "w" + number + "@writers.example");
  }

  // --- through the router ----------------------------------------------------------------------

  private void routerLoop(Sessions router, Random random) throws SQLException {
    List<Row> mine = new ArrayList<>();
    try (Connection connection = router.open();
        PreparedStatement insert =
            connection.prepareStatement(
                "INSERT INTO users (tenant_id, user_id, email, name) VALUES (?, ?, ?, 'w')");
        PreparedStatement byEmail =
            connection.prepareStatement("SELECT user_id FROM users WHERE email = ?");
        PreparedStatement delete =
            connection.prepareStatement("DELETE FROM users WHERE tenant_id = ? AND user_id = ?")) {
      while (!stopping) {
        Row row = next(random);
        insert.setLong(1, row.tenant());
        insert.setLong(2, row.user());
        insert.setString(3, row.email());
        insert.executeUpdate();
        mustFind(byEmail, row);
        mine.add(row);
        if (mine.size() > KEPT) {
          Row gone = mine.remove(random.nextInt(mine.size()));
          delete.setLong(1, gone.tenant());
          delete.setLong(2, gone.user());
          delete.executeUpdate();
          changes.incrementAndGet();
        }
        changes.incrementAndGet();
        pause();
      }
    }
  }

  /** Steady, not as fast as can be: what is tested is order, not throughput. */
  private static void pause() {
    LockSupport.parkNanos(PAUSE_NANOS);
  }

  private void mustFind(PreparedStatement byEmail, Row row) throws SQLException {
    byEmail.setString(1, row.email());
    try (ResultSet found = byEmail.executeQuery()) {
      if (!found.next() || found.getLong(1) != row.user() || found.next()) {
        throw new AssertionError("an acknowledged row was not found by its email: " + row);
      }
    }
    reads.incrementAndGet();
  }

  // --- on the shards ---------------------------------------------------------------------------

  private void shardLoop(ShardCluster cluster, Random random) throws SQLException {
    ShardLocator locator = SampleTopology.locator(cluster.shards());
    List<Row> mine = new ArrayList<>();
    List<Connection> open = new ArrayList<>();
    try {
      for (ShardId shard : cluster.shards()) {
        open.add(cluster.asOwner(shard));
      }
      while (!stopping) {
        int what = mine.size() < FIRST ? 0 : random.nextInt(4);
        Row row = what == 0 ? next(random) : mine.remove(random.nextInt(mine.size()));
        Connection home = open.get(cluster.shards().indexOf(shard(locator, row.tenant())));
        switch (what) {
          case 0 -> {
            insert(home, row);
            mine.add(row);
          }
          case 1 -> delete(home, row);
          case 2 -> mine.add(rename(home, row));
          default -> {
            Row moved = new Row(1 + random.nextInt(TENANTS), row.user(), row.email());
            delete(home, row);
            insert(open.get(cluster.shards().indexOf(shard(locator, moved.tenant()))), moved);
            mine.add(moved);
          }
        }
        changes.incrementAndGet();
        pause();
      }
    } finally {
      for (Connection connection : open) {
        connection.close();
      }
    }
  }

  private static ShardId shard(ShardLocator locator, long tenant) {
    return locator.locate(Long.toString(tenant));
  }

  private static void insert(Connection connection, Row row) throws SQLException {
    update(
        connection,
        "INSERT INTO users (tenant_id, user_id, email, name) VALUES (%d, %d, '%s', 'd')"
            .formatted(row.tenant(), row.user(), row.email()));
  }

  private static void delete(Connection connection, Row row) throws SQLException {
    update(
        connection,
        "DELETE FROM users WHERE tenant_id = %d AND user_id = %d"
            .formatted(row.tenant(), row.user()));
  }

  private Row rename(Connection connection, Row row) throws SQLException {
    Row renamed =
        new Row(row.tenant(), row.user(), "r" + numbers.incrementAndGet() + "@writers.example");
    update(
        connection,
        "UPDATE users SET email = '%s' WHERE tenant_id = %d AND user_id = %d"
            .formatted(renamed.email(), row.tenant(), row.user()));
    return renamed;
  }

  private static void update(Connection connection, String sql) throws SQLException {
    try (var statement = connection.createStatement()) {
      statement.executeUpdate(sql);
    }
  }

  // --- the end ---------------------------------------------------------------------------------

  long changes() {
    return changes.get();
  }

  /** Reads by email of a row just acknowledged. */
  long reads() {
    return reads.get();
  }

  /** Ends all threads; throws what one of them met. */
  void stop() {
    close();
    Throwable met = failure.get();
    if (met != null) {
      throw new AssertionError("a writer failed after " + changes + " changes", met);
    }
  }

  @Override
  public void close() {
    stopping = true;
    boolean interrupted = false;
    for (Thread thread : threads) {
      while (thread.isAlive()) {
        try {
          thread.join();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
