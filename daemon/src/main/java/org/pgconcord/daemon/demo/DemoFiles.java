package org.pgconcord.daemon.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.daemon.admin.Json;
import org.pgconcord.testkit.cluster.ClusterRoles;
import org.pgconcord.testkit.cluster.ShardCluster;
import org.pgconcord.testkit.cluster.sample.SampleTopology;

/** Writes what {@code pgconcord serve} would be given: a configuration and a topology. */
final class DemoFiles {
  private DemoFiles() {}

  /** The configuration's path, in the cluster's directory. */
  static Path write(ShardCluster cluster, DemoOptions options) throws IOException {
    Path directory = cluster.directory();
    Files.writeString(directory.resolve("app.json"), SampleTopology.document(cluster.shards()));
    Path configuration = directory.resolve("pgconcord.json");
    Files.writeString(configuration, Json.write(configuration(cluster, options)) + "\n");
    return configuration;
  }

  private static Map<String, Object> configuration(ShardCluster cluster, DemoOptions options) {
    Map<String, Object> shards = new LinkedHashMap<>();
    for (ShardId shard : cluster.shards()) {
      String address = "127.0.0.1:" + cluster.shard(shard).port();
      shards.put(shard.uid(), Map.of("hosts", List.of(address), "sslmode", "disable"));
    }
    Map<String, Object> root = new LinkedHashMap<>();
    root.put("topology", "app.json");
    root.put("router", ordered("listen", "127.0.0.1:" + options.port(), "auth", "trust"));
    root.put("admin", Map.of("listen", "127.0.0.1:" + options.httpPort()));
    root.put("state_dir", "state");
    root.put("catalog_database", ShardCluster.DATABASE);
    root.put("service_role", Map.of("user", ClusterRoles.SERVICE));
    root.put("shards", shards);
    return root;
  }

  private static Map<String, String> ordered(String k1, String v1, String k2, String v2) {
    Map<String, String> map = new LinkedHashMap<>();
    map.put(k1, v1);
    map.put(k2, v2);
    return map;
  }
}
