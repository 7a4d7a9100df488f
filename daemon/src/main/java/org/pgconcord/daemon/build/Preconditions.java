package org.pgconcord.daemon.build;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.pgconcord.config.check.GsiCheck;
import org.pgconcord.config.check.SchemaSurvey;
import org.pgconcord.config.check.Survey;
import org.pgconcord.config.check.TopologyCheck;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.schema.TableSchema;
import org.pgconcord.config.settings.ShardConnections;
import org.pgconcord.config.topology.Finding;
import org.pgconcord.config.topology.Gsi;
import org.pgconcord.config.topology.Topology;
import org.pgconcord.config.topology.Topology.LogicalDatabase;
import org.pgconcord.config.value.Identifiers;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.daemon.doctor.Check;
import org.pgconcord.daemon.doctor.ServerChecks;
import org.pgconcord.daemon.doctor.ServerProbe;

/** What has to hold before an index is built; everything unmet is said at once, with its cure. */
public final class Preconditions {
  private static final String OWNER =
      """
      SELECT r.rolname, pg_has_role(current_user, c.relowner, 'USAGE'), current_user
        FROM pg_class c JOIN pg_roles r ON r.oid = c.relowner
       WHERE c.oid = to_regclass(?)
      """;

  private final ShardConnections connections;

  public Preconditions(ShardConnections connections) {
    this.connections = connections;
  }

  /**
   * @throws org.pgconcord.config.error.ConcordException {@code gsi/preconditions-unmet} with one
   *     line for each
   */
  void require(Topology topology, Gsi gsi) {
    List<String> unmet = unmet(topology, gsi);
    if (!unmet.isEmpty()) {
      throw ErrorCode.GSI_PRECONDITIONS
          .because(gsi.name() + " cannot be built: " + unmet.size() + " preconditions are not met")
          .withDetail(String.join("\n", unmet));
    }
  }

  /** One line for each unmet precondition. */
  List<String> unmet(Topology topology, Gsi gsi) {
    LogicalDatabase database =
        topology
            .database(gsi.name().database())
            .orElseThrow(() -> new IllegalStateException("no database of " + gsi.name()));
    List<String> unmet = new ArrayList<>();
    Survey survey = new SchemaSurvey(connections).read(topology).get(database.name());
    if (survey != null) {
      Collection<TableSchema> owners = survey.table(gsi.owner()).values();
      findings(gsi, database, survey).forEach(finding -> unmet.add(line(gsi, owners, finding)));
    }
    for (ShardId shard : TopologyCheck.shardsOf(database.placement(gsi.owner()))) {
      server(shard, gsi).stream()
          .filter(Check::failed)
          .forEach(c -> unmet.add(c.where() + ": " + c.message() + ". " + c.remedy()));
    }
    return unmet;
  }

  private static List<Finding> findings(Gsi gsi, LogicalDatabase database, Survey survey) {
    List<Finding> findings = new ArrayList<>();
    for (ShardId shard : TopologyCheck.shardsOf(database.placement(gsi.owner()))) {
      if (!survey.table(gsi.owner()).containsKey(shard)) {
        findings.add(
            new Finding(
                "gsi/owner-missing",
                Finding.Severity.ERROR,
                gsi.owner().toString(),
                "the owner table is not on " + shard,
                "Create it there as on the other shards"));
      }
    }
    findings.addAll(GsiCheck.check(gsi, database, survey));
    return findings.stream().filter(f -> f.severity() == Finding.Severity.ERROR).toList();
  }

  /** The statement itself where one cures it. */
  private static String line(Gsi gsi, Collection<TableSchema> owners, Finding finding) {
    String cure =
        finding.id().equals("gsi/replica-identity")
            ? identityCure(gsi, owners)
            : finding.remedy() + ".";
    return finding.path() + ": " + finding.message() + ". " + cure + " [" + finding.id() + "]";
  }

  /** One for each partition: what is set for their root means nothing to them. */
  private static String identityCure(Gsi gsi, Collection<TableSchema> owners) {
    SortedSet<String> relations = new TreeSet<>();
    owners.stream()
        .filter(owner -> owner.relkind() == 'p')
        .forEach(owner -> relations.addAll(owner.family().untold()));
    if (relations.isEmpty()) {
      relations.add(gsi.owner().quoted());
    }
    return relations.stream()
        .map(relation -> "ALTER TABLE " + relation + " REPLICA IDENTITY FULL;")
        .collect(Collectors.joining(" "));
  }

  private List<Check> server(ShardId shard, Gsi gsi) {
    try (Connection connection = connections.open(shard, gsi.name().database())) {
      List<Check> checks = new ArrayList<>(ServerChecks.of(ServerProbe.read(shard, connection)));
      publishing(connection, shard, gsi, checks);
      return checks;
    } catch (SQLException e) {
      throw ErrorCode.SHARD_UNREACHABLE
          .because("shard " + shard + " cannot be examined: " + e.getMessage())
          .withCause(e);
    }
  }

  private static void publishing(Connection connection, ShardId shard, Gsi gsi, List<Check> checks)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(OWNER)) {
      statement.setString(1, gsi.owner().quoted());
      try (ResultSet row = statement.executeQuery()) {
        if (row.next() && !row.getBoolean(2)) {
          checks.add(
              new Check(
                  "owner/publish",
                  Check.Level.FAILED,
                  shard + " " + gsi.owner(),
                  "only a member of its owner may publish it",
                  "GRANT "
                      + Identifiers.quote(row.getString(1))
                      + " TO "
                      + Identifiers.quote(row.getString(3))
                      + ";"));
        }
      }
    }
  }
}
