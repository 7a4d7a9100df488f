package org.pgconcord.daemon.doctor;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import org.pgconcord.config.settings.DaemonSettings;
import org.pgconcord.config.settings.ShardSettings;
import org.pgconcord.config.topology.Topology;
import org.pgconcord.config.value.ShardId;

/** {@link Grants} for each server of a configuration, as one script to be pasted in parts. Pure. */
public final class GrantScript {
  private final DaemonSettings settings;
  private final Optional<Topology> topology;
  private final Grants grants;

  public GrantScript(DaemonSettings settings, Optional<Topology> topology) {
    this.settings = settings;
    this.topology = topology;
    this.grants = new Grants(settings.serviceRole().user());
  }

  /** The lines; comments say by whom and where each part is run. */
  public List<String> lines() {
    List<String> lines = new ArrayList<>();
    settings
        .shards()
        .forEach(
            (shard, server) -> {
              if (!lines.isEmpty()) {
                lines.add("");
              }
              server(shard, server, lines);
            });
    return lines;
  }

  private void server(ShardId shard, ShardSettings server, List<String> lines) {
    lines.add("-- on " + shard + " (" + server.hosts().get(0) + "), as an administrator");
    lines.addAll(grants.server());
    SortedSet<String> databases = new TreeSet<>();
    topology.ifPresent(document -> databases.addAll(document.databases().keySet()));
    databases.add(settings.catalogDatabase());
    for (String database : databases) {
      String name = server.database(database);
      lines.add("-- in its database " + name);
      lines.addAll(
          topology
              .map(document -> document.databases().get(database))
              .map(declared -> grants.database(shard, name, declared))
              .orElseGet(() -> grants.database(name)));
      if (database.equals(settings.catalogDatabase())) {
        verifiers(shard, lines);
      }
    }
  }

  private void verifiers(ShardId shard, List<String> lines) {
    boolean needed = settings.router().usersFile().isEmpty();
    if (settings.router().auth() != DaemonSettings.Auth.SCRAM || !needed) {
      return;
    }
    boolean authoritative =
        topology.map(document -> document.authoritativeShard().equals(shard)).orElse(true);
    if (authoritative) {
      lines.add("-- to check clients' passwords; not needed with router.users_file");
      lines.addAll(grants.verifiers());
    } else {
      lines.add("-- optional: lets doctor name roles whose passwords differ between servers");
      grants.verifiers().forEach(sql -> lines.add("-- " + sql));
    }
  }
}
