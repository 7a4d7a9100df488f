package org.pgconcord.daemon.doctor;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.pgconcord.config.topology.Placement;
import org.pgconcord.config.topology.Topology.LogicalDatabase;
import org.pgconcord.config.value.Identifiers;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;
import org.pgconcord.daemon.topology.ShardTables;

/** The SQL that gives the service role exactly what it needs on one shard. Pure. */
public final class Grants {
  private final String role;
  private final String quoted;

  public Grants(String role) {
    this.role = role;
    this.quoted = Identifiers.quote(role);
  }

  /** Once on each server. */
  public List<String> server() {
    return List.of(
        "CREATE ROLE " + quoted + " LOGIN REPLICATION BYPASSRLS NOSUPERUSER;",
        "-- and its password, in psql: \\password " + role,
        "-- to see other sessions, which may hold up the making of a slot:",
        "GRANT pg_monitor TO " + quoted + ";",
        "-- to end what a router that is gone has left open, when an index changes its state:",
        "GRANT pg_signal_backend TO " + quoted + ";",
        "-- for transactions in mode atomic, each role that clients use them as:",
        "-- GRANT client_role TO " + quoted + ";");
  }

  /**
   * In one database of one server, connected to it.
   *
   * @param name the database's name on this server
   */
  public List<String> database(ShardId shard, String name, LogicalDatabase database) {
    List<String> sql = new ArrayList<>(database(name));
    SortedSet<TableName> published = new TreeSet<>();
    SortedSet<String> lookupSchemas = new TreeSet<>();
    for (TableName table : ShardTables.on(shard, database)) {
      if (database.placement(table) instanceof Placement.Lookup) {
        lookupSchemas.add(table.schema());
      } else {
        published.add(table);
      }
    }
    for (String schema : lookupSchemas) {
      sql.add("GRANT USAGE, CREATE ON SCHEMA " + Identifiers.quote(schema) + " TO " + quoted + ";");
    }
    if (!published.isEmpty()) {
      sql.add(owners(published));
    }
    return sql;
  }

  /** What any database needs, whatever is in it. */
  public List<String> database(String name) {
    return List.of(
        "GRANT CREATE, CONNECT ON DATABASE " + Identifiers.quote(name) + " TO " + quoted + ";");
  }

  /** In the catalog's database, so that clients' passwords are checked by what is stored there. */
  public List<String> verifiers() {
    return List.of("GRANT SELECT ON pg_catalog.pg_authid TO " + quoted + ";");
  }

  /** Membership in the roles that own the tables, whoever they are; a superuser is left out. */
  private String owners(Collection<TableName> tables) {
    String names =
        tables.stream()
            .map(table -> Identifiers.literal(table.quoted()))
            .collect(Collectors.joining(", "));
    return """
        -- only members of a table's owner may publish it
        DO $$
        DECLARE
          owner record;
        BEGIN
          FOR owner IN
            SELECT DISTINCT r.rolname, r.rolsuper
              FROM unnest(ARRAY[%s]) AS t(name)
              JOIN pg_class c ON c.oid = to_regclass(t.name)
              JOIN pg_roles r ON r.oid = c.relowner
             WHERE r.rolname <> %s
          LOOP
            IF owner.rolsuper THEN
              RAISE WARNING 'tables of superuser %% cannot be published: give them to another role',
                owner.rolname;
            ELSE
              EXECUTE format('GRANT %%I TO %%I', owner.rolname, %s);
            END IF;
          END LOOP;
        END $$;"""
        .formatted(names, Identifiers.literal(role), Identifiers.literal(role));
  }
}
