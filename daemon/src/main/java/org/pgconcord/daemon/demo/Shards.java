package org.pgconcord.daemon.demo;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.testkit.cluster.ClusterSettings;
import org.pgconcord.testkit.cluster.ShardCluster;
import org.pgconcord.testkit.cluster.sample.SampleData;
import org.pgconcord.testkit.cluster.sample.SampleSchema;
import org.pgconcord.testkit.cluster.sample.SampleUsers;

/** Chapter: PostgreSQL servers with the sample application's tables and rows. */
final class Shards {
  private final DemoOptions options;
  private final Narrator narrator;

  Shards(DemoOptions options, Narrator narrator) {
    this.options = options;
    this.narrator = narrator;
  }

  ShardCluster start(Ending ending) throws SQLException {
    narrator.chapter(
        options.shards() == 1
            ? "Start a PostgreSQL server, a shard"
            : "Start " + options.shards() + " PostgreSQL servers, the shards");
    ClusterSettings settings =
        ClusterSettings.of(options.shards()).withDirectory(options.directory());
    // The cluster's own hook would race with the daemon's end: the demo ends both, in order.
    ShardCluster cluster = ending.add(ShardCluster.start(settings).endedByCaller());
    for (ShardId shard : cluster.shards()) {
      narrator.command(
          "psql -h 127.0.0.1 -p " + cluster.shard(shard).port() + " -U demo app      # " + shard);
    }
    load(cluster);
    return cluster;
  }

  private void load(ShardCluster cluster) throws SQLException {
    narrator.chapter("Create the tables users and countries and fill them");
    SampleSchema.create(cluster);
    AtomicLong loaded = new AtomicLong();
    SampleData.load(
        cluster,
        options.rows(),
        options.seed(),
        sent -> narrator.live(loadedText(loaded.addAndGet(sent))));
    narrator.say(
        String.format(
            Locale.ROOT,
            "%,d users of %,d tenants, each tenant on one shard by the hash of its number (seed %d):",
            options.rows(),
            SampleUsers.TENANTS,
            options.seed()));
    for (ShardId shard : cluster.shards()) {
      narrator.say(
          String.format(
              Locale.ROOT,
              "  %s has %,d users and its own copy of %d countries",
              shard,
              count(cluster, shard, "users"),
              count(cluster, shard, "countries")));
    }
  }

  private String loadedText(long loaded) {
    return String.format(Locale.ROOT, "%,d of %,d users loaded", loaded, options.rows());
  }

  private static long count(ShardCluster cluster, ShardId shard, String table) throws SQLException {
    try (Connection owner = cluster.asOwner(shard);
        Statement statement = owner.createStatement();
        ResultSet rows = statement.executeQuery("SELECT count(*) FROM " + table)) {
      rows.next();
      return rows.getLong(1);
    }
  }
}
