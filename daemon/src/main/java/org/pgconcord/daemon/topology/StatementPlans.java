package org.pgconcord.daemon.topology;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.pgconcord.config.catalog.RoutingState;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.json.DidYouMean;
import org.pgconcord.config.schema.TableSchema;
import org.pgconcord.config.topology.Topology;
import org.pgconcord.config.value.TableName;
import org.pgconcord.router.plan.Parameters;
import org.pgconcord.router.plan.PlanContext;
import org.pgconcord.router.plan.PlanText;
import org.pgconcord.router.plan.Planned;
import org.pgconcord.router.plan.SchemaFile;
import org.pgconcord.router.plan.SessionCommand;
import org.pgconcord.router.plan.StatementPlanner;
import org.pgconcord.router.sql.StatementText;

/** How a statement would run: the planner's answer in words, with a daemon's state or without. */
public final class StatementPlans {
  private StatementPlans() {}

  /** The state that a document and a file of CREATE TABLE statements make, nothing built. */
  public static RoutingState offline(Topology topology, String schemaSql) {
    Map<TableName, TableSchema> tables = SchemaFile.read(schemaSql);
    if (tables.isEmpty()) {
      throw ErrorCode.CONFIG_INVALID
          .because("the schema file has no CREATE TABLE statement with columns")
          .withHint("Write it by pg_dump --schema-only.");
    }
    Map<String, Map<TableName, TableSchema>> schemas = new LinkedHashMap<>();
    topology.databases().keySet().forEach(database -> schemas.put(database, tables));
    return new RoutingState(0, topology, Map.of(), schemas);
  }

  /**
   * The lines of EXPLAIN (ROUTER); of one that is written out, in its own format.
   *
   * @param database empty where the topology has just one
   */
  public static List<String> explain(RoutingState state, String database, String sql) {
    PlanContext context =
        new PlanContext(state, only(state.topology(), database), List.of("public"), "", false);
    Planned planned = new StatementPlanner().plan(StatementText.one(sql), context);
    if (planned.plan() instanceof SessionCommand.Empty) {
      throw ErrorCode.SQL_SYNTAX.because("there is no statement");
    } else if (planned.plan() instanceof SessionCommand.ExplainRouter explain) {
      return explain
          .format()
          .rows(PlanText.outline(explain.explained(), Parameters.NONE), explain.verbose());
    }
    return PlanText.render(planned, Parameters.NONE);
  }

  private static String only(Topology topology, String database) {
    if (!database.isEmpty()) {
      if (topology.database(database).isEmpty()) {
        throw ErrorCode.ADMIN_REQUEST_INVALID
            .because(
                "the topology has no database \"%s\"%s"
                    .formatted(database, DidYouMean.hint(database, topology.databases().keySet())))
            .withHint("It has " + String.join(", ", topology.databases().keySet()) + ".");
      }
      return database;
    }
    if (topology.databases().size() != 1) {
      throw ErrorCode.ADMIN_REQUEST_INVALID
          .because("the topology has several databases")
          .withHint("Name one with --database.");
    }
    return topology.databases().keySet().iterator().next();
  }
}
