package org.pgconcord.daemon.admin;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.pgconcord.config.settings.DaemonSettings;
import org.pgconcord.config.settings.ShardConnections;
import org.pgconcord.config.topology.Topology;
import org.pgconcord.daemon.doctor.Doctor;
import org.pgconcord.daemon.doctor.GrantScript;

/** {@code doctor}: what the servers look like now, against the applied topology. */
public final class DoctorRoutes {
  private final DaemonSettings settings;
  private final ShardConnections connections;
  private final Supplier<Topology> topology;

  public DoctorRoutes(
      DaemonSettings settings, ShardConnections connections, Supplier<Topology> topology) {
    this.settings = settings;
    this.connections = connections;
    this.topology = topology;
  }

  public List<Route> routes() {
    return List.of(
        new Route("GET", "/api/v1/doctor", request -> Answer.json(checks())),
        new Route("GET", "/api/v1/doctor/grants", request -> Answer.json(grants())));
  }

  private ChecksDocument checks() {
    return ChecksDocument.of(
        new Doctor(settings, connections, Optional.of(topology.get())).examine());
  }

  private Map<String, List<String>> grants() {
    return Map.of("sql", new GrantScript(settings, Optional.of(topology.get())).lines());
  }
}
