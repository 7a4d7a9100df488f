package org.pgconcord.daemon.doctor;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.pgconcord.config.value.Identifiers;
import org.pgconcord.config.value.TableName;

/** The SQL that gives the service role exactly what it needs on one shard. Pure. */
public final class Grants {
  private Grants() {}

  /**
   * @param owners the role that owns each published table, where it is known
   * @param lookupSchemas the schemas in which lookup tables are made on this shard
   */
  public static List<String> sql(
      String role, String database, Map<TableName, String> owners, List<String> lookupSchemas) {
    String name = Identifiers.quote(role);
    List<String> sql = new ArrayList<>();
    sql.add("-- once, by an administrator; choose the password as your policy says");
    sql.add("CREATE ROLE " + name + " LOGIN REPLICATION BYPASSRLS NOSUPERUSER;");
    sql.add(
        "GRANT CREATE, CONNECT ON DATABASE " + Identifiers.quote(database) + " TO " + name + ";");
    for (String owner : new TreeSet<>(owners.values())) {
      sql.add("GRANT " + Identifiers.quote(owner) + " TO " + name + ";");
    }
    for (String schema : new TreeSet<>(lookupSchemas)) {
      sql.add("GRANT USAGE, CREATE ON SCHEMA " + Identifiers.quote(schema) + " TO " + name + ";");
    }
    return sql;
  }
}
