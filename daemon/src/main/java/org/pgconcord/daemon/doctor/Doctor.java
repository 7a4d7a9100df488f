package org.pgconcord.daemon.doctor;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.settings.DaemonSettings;
import org.pgconcord.config.settings.ShardConnections;
import org.pgconcord.config.value.ShardId;

/** Looks at every shard of a configuration, one after the other, and says all that it saw. */
public final class Doctor {
  private final DaemonSettings settings;
  private final ShardConnections connections;

  public Doctor(DaemonSettings settings, ShardConnections connections) {
    this.settings = settings;
    this.connections = connections;
  }

  /**
   * @param databases the logical databases of the topology; the catalog's is looked at as well
   */
  public List<Check> examine(Collection<String> databases) {
    SortedSet<String> all = new TreeSet<>(databases);
    all.add(settings.catalogDatabase());
    List<Check> checks = new ArrayList<>();
    for (ShardId shard : settings.shards().keySet()) {
      for (String database : all) {
        checks.addAll(server(shard, database));
      }
    }
    return checks;
  }

  private List<Check> server(ShardId shard, String database) {
    try (Connection connection = connections.open(shard, database)) {
      return ServerChecks.of(ServerProbe.read(shard, connection));
    } catch (ConcordException e) {
      String detail = e.detail();
      return List.of(
          Check.failed(
              e.code().id(), shard, e.message() + (detail == null ? "" : ": " + detail), e.hint()));
    } catch (SQLException e) {
      return List.of(
          Check.failed(
              "server/probe",
              shard,
              "the server's facts cannot be read: " + e.getMessage(),
              "Read the server's log around this moment."));
    }
  }
}
