package org.pgconcord.daemon.doctor;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import org.pgconcord.config.check.SchemaSurvey;
import org.pgconcord.config.check.TopologyCheck;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.settings.DaemonSettings;
import org.pgconcord.config.settings.ShardConnections;
import org.pgconcord.config.topology.Finding;
import org.pgconcord.config.topology.Topology;
import org.pgconcord.config.value.ShardId;

/** Looks at every shard of a configuration, one after the other, and says all that it saw. */
public final class Doctor {
  private final DaemonSettings settings;
  private final ShardConnections connections;
  private final Optional<Topology> topology;
  private final List<Check> checks = new ArrayList<>();
  private final Map<ShardId, Optional<Map<String, String>>> verifiers = new HashMap<>();

  /** With a topology its tables are looked at too, where all its servers answer. */
  public Doctor(
      DaemonSettings settings, ShardConnections connections, Optional<Topology> topology) {
    this.settings = settings;
    this.connections = connections;
    this.topology = topology;
  }

  public List<Check> examine() {
    SortedSet<String> databases = new TreeSet<>();
    topology.ifPresent(document -> databases.addAll(document.databases().keySet()));
    databases.add(settings.catalogDatabase());
    boolean answered = true;
    for (ShardId shard : settings.shards().keySet()) {
      for (String database : databases) {
        answered &= server(shard, database);
      }
    }
    if (answered) {
      topology.ifPresent(this::tables);
    }
    return List.copyOf(checks);
  }

  /** False when the server cannot be asked. */
  private boolean server(ShardId shard, String database) {
    try (Connection connection = connections.open(shard, database)) {
      checks.addAll(ServerChecks.of(ServerProbe.read(shard, connection)));
      if (database.equals(settings.catalogDatabase())) {
        verifiers.put(shard, ServerProbe.verifiers(connection));
        new HostProbe(connections, database)
            .of(shard, Objects.requireNonNull(settings.shards().get(shard)), connection)
            .forEach(host -> checks.addAll(HostChecks.of(host)));
      }
      return true;
    } catch (ConcordException e) {
      checks.add(failure(shard, e));
    } catch (SQLException e) {
      checks.add(
          Check.failed(
              "server/probe",
              shard,
              "the server's facts cannot be read: " + e.getMessage(),
              "Read the server's log around this moment."));
    }
    return false;
  }

  private void tables(Topology document) {
    if (settings.router().auth() == DaemonSettings.Auth.SCRAM) {
      checks.addAll(
          VerifierChecks.of(
              document.authoritativeShard(),
              verifiers,
              settings.serviceRole().user(),
              settings.router().usersFile().isPresent()));
    }
    List<Finding> findings =
        new ArrayList<>(TopologyCheck.shards(document, settings.shards().keySet()));
    if (settings.shards().keySet().containsAll(document.shards())) {
      try {
        findings.addAll(
            TopologyCheck.schemas(document, new SchemaSurvey(connections).read(document)));
      } catch (ConcordException e) {
        checks.add(failure("topology", e));
      }
    }
    if (findings.isEmpty()) {
      checks.add(Check.ok("topology/tables", "topology", "the tables are as the topology needs"));
    }
    findings.forEach(finding -> checks.add(check(finding)));
  }

  private static Check check(Finding finding) {
    return finding.severity() == Finding.Severity.ERROR
        ? Check.failed(finding.id(), finding.path(), finding.message(), finding.remedy())
        : Check.warning(finding.id(), finding.path(), finding.message(), finding.remedy());
  }

  private static Check failure(Object where, ConcordException e) {
    String detail = e.detail();
    return Check.failed(
        e.code().id(), where, e.message() + (detail == null ? "" : ": " + detail), e.hint());
  }
}
