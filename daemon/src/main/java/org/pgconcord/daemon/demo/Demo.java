package org.pgconcord.daemon.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.settings.DaemonSettings;
import org.pgconcord.config.settings.Overrides;
import org.pgconcord.config.settings.SettingsReader;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.daemon.Daemon;
import org.pgconcord.testkit.cluster.FreePort;
import org.pgconcord.testkit.cluster.ShardCluster;
import org.pgconcord.testkit.cluster.sample.SampleTopology;
import org.pgconcord.testkit.cluster.sample.SampleUser;
import org.pgconcord.testkit.cluster.sample.SampleUsers;

/** The story from empty directory to answered queries. */
final class Demo {
  private final DemoOptions options;
  private final Narrator narrator;

  Demo(DemoOptions options, Narrator narrator) {
    this.options = options;
    this.narrator = narrator;
  }

  /** Runs all chapters; what it starts is left to {@code ending}. */
  void run(Ending ending) throws SQLException, IOException {
    DemoLog log = ending.add(DemoLog.begin(narrator));
    requireFree(options.port(), "--port");
    requireFree(options.httpPort(), "--http-port");
    narrator.title("pgConcord: plain PostgreSQL servers that answer as one database");
    ShardCluster cluster = new Shards(options, narrator).start(ending);
    log.into(cluster.directory().resolve("pgconcord.log"));
    openRouter(cluster, ending);
    RouterClient router = ending.add(RouterClient.connect(options.port()));
    AdminApi admin = new AdminApi(options.httpPort());
    SampleUser user = userOnLastShard(cluster);
    showPlan(router, user, "Ask for a user by email: without an index every shard is asked");
    new IndexLife(options, narrator, cluster, admin).run(ending);
    showPlan(router, user, "Ask again: the entry names the shard, and only that one is asked");
    switch (options.tour()) {
      case SAMPLES -> samples(cluster, router, admin, user);
      case READS -> new ReadsTour(narrator, router, user).run();
      case CRASH -> new CrashTour(options, narrator, cluster, admin, router, user).run(ending);
    }
    end();
  }

  private void samples(ShardCluster cluster, RouterClient router, AdminApi admin, SampleUser user)
      throws SQLException {
    new DirectWrites(narrator, cluster, router).run();
    if (cluster.shards().size() > 1) {
      new PlantedRow(narrator, cluster, admin).run();
    }
    new Samples(narrator, router, user).run();
  }

  private void openRouter(ShardCluster cluster, Ending ending) throws IOException {
    narrator.chapter("Apply the topology and open the router");
    Path configuration = DemoFiles.write(cluster, options);
    DaemonSettings settings =
        SettingsReader.read(Files.readString(configuration), cluster.directory(), Overrides.none());
    ending.add(Daemon.start(settings, Map.of()));
    narrator.say(
        "users: spread by tenant_id; countries: a copy on every shard; by_email: an index");
    narrator.say("that finds the tenant of an email, declared but not built yet");
    narrator.command(psql());
  }

  private void showPlan(RouterClient router, SampleUser user, String title) throws SQLException {
    narrator.chapter(title);
    String sql = "SELECT * FROM users WHERE email = '" + user.email() + "'";
    narrator.command("EXPLAIN (ROUTER) " + sql);
    narrator.block(router.explain(sql));
    narrator.judge(router.query(sql).rowCount() == 1, "one row comes back");
  }

  private void end() {
    narrator.blank();
    ResidentSet.peakMebibytes()
        .ifPresent(peak -> narrator.say("peak resident set of this process: " + peak + " MiB"));
    if (narrator.faults() > 0) {
      narrator.bad(narrator.faults() + " things were not as they should be, see above");
      return;
    }
    narrator.good("everything was as it should be");
  }

  /** How a person connects. */
  String psql() {
    return "psql -h 127.0.0.1 -p " + options.port() + " -U demo app";
  }

  /** So that lookup and row are on different servers, where there are several. */
  private SampleUser userOnLastShard(ShardCluster cluster) {
    List<ShardId> shards = cluster.shards();
    SampleUsers users = new SampleUsers(options.seed());
    for (long number = 1; number < RowPool.FIRST; number++) {
      SampleUser user = users.user(number);
      ShardId home = SampleTopology.locator(shards).locate(Long.toString(user.tenantId()));
      if (home.equals(shards.get(shards.size() - 1))) {
        return user;
      }
    }
    return users.user(1);
  }

  private static void requireFree(int port, String flag) {
    if (!FreePort.isFree(port)) {
      throw ErrorCode.PORT_TAKEN
          .because("port " + port + " of 127.0.0.1 is taken")
          .withHint("Name another one with " + flag + ".");
    }
  }
}
