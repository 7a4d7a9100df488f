package org.pgconcord.testkit.cluster.sample;

import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.LongConsumer;
import org.pgconcord.config.sharding.ShardLocator;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.testkit.cluster.ShardCluster;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyIn;
import org.postgresql.copy.CopyManager;

/**
 * Fills the sample's tables: every shard gets all countries and the users of its tenants, by COPY,
 * shards side by side.
 */
public final class SampleData {
  /** Bytes of COPY text gathered before they are sent. */
  private static final int CHUNK = 1 << 16;

  private SampleData() {}

  /**
   * Loads users 1 to {@code rows} of {@code seed}, and the countries.
   *
   * @param progress told how many rows of some shard were sent since it was last told; called by
   *     several threads
   */
  public static void load(ShardCluster cluster, long rows, long seed, LongConsumer progress)
      throws SQLException {
    List<ShardId> homes = homes(SampleTopology.locator(cluster.shards()));
    SampleUsers users = new SampleUsers(seed);
    ExecutorService executor = Executors.newFixedThreadPool(cluster.shards().size());
    try {
      List<Future<?>> all = new ArrayList<>();
      for (ShardId shard : cluster.shards()) {
        all.add(
            executor.submit(
                () -> {
                  loadShard(cluster, shard, homes, users, rows, progress);
                  return shard;
                }));
      }
      for (Future<?> each : all) {
        each.get();
      }
    } catch (ExecutionException e) {
      throw new SQLException("the sample data could not be loaded", e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SQLException("interrupted", e);
    } finally {
      executor.shutdownNow();
    }
  }

  /** As above, without progress. */
  public static void load(ShardCluster cluster, long rows, long seed) throws SQLException {
    load(cluster, rows, seed, sent -> {});
  }

  /** The shard of each tenant, by number; index 0 is unused. */
  private static List<ShardId> homes(ShardLocator locator) {
    List<ShardId> homes = new ArrayList<>();
    for (int tenant = 0; tenant <= SampleUsers.TENANTS; tenant++) {
      homes.add(locator.locate(Integer.toString(tenant)));
    }
    return homes;
  }

  private static void loadShard(
      ShardCluster cluster,
      ShardId shard,
      List<ShardId> homes,
      SampleUsers users,
      long rows,
      LongConsumer progress)
      throws SQLException, IOException {
    try (Connection owner = cluster.asOwner(shard);
        Statement statement = owner.createStatement()) {
      CopyManager copies = owner.unwrap(PGConnection.class).getCopyAPI();
      copies.copyIn(
          "COPY countries FROM STDIN (FORMAT csv, HEADER)",
          new StringReader(SampleCountries.csv()));
      copyUsers(copies.copyIn("COPY users FROM STDIN"), shard, homes, users, rows, progress);
      statement.execute("ANALYZE users, countries");
    }
  }

  private static void copyUsers(
      CopyIn copy,
      ShardId shard,
      List<ShardId> homes,
      SampleUsers users,
      long rows,
      LongConsumer progress)
      throws SQLException {
    StringBuilder text = new StringBuilder(CHUNK + 256);
    long sent = 0;
    for (long number = 1; number <= rows; number++) {
      if (homes.get((int) users.tenant(number)).equals(shard)) {
        users.user(number).appendTo(text);
        sent++;
      }
      if (text.length() >= CHUNK) {
        send(copy, text);
        progress.accept(sent);
        sent = 0;
      }
    }
    send(copy, text);
    copy.endCopy();
    progress.accept(sent);
  }

  private static void send(CopyIn copy, StringBuilder text) throws SQLException {
    byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
    copy.writeToCopy(bytes, 0, bytes.length);
    text.setLength(0);
  }
}
