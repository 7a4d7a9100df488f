package org.pgconcord.testkit.cluster;

import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.pgconcord.config.value.Identifiers;
import org.pgconcord.config.value.ShardId;

/**
 * The roles of an embedded cluster and their passwords. Neither is a superuser. The service role is
 * a member of the owner's, so that it may publish its tables and read them, and has what the system
 * needs beside that: replication, row security bypassed, and the right to create in the database.
 */
public final class ClusterRoles {
  /** Owner of the application's tables; the role that clients of the demo use. */
  public static final String OWNER = "demo";

  /** The service role. */
  public static final String SERVICE = "pgconcord";

  private static final List<String> IN_DATABASE =
      List.of(
          "GRANT CREATE, CONNECT ON DATABASE app TO pgconcord",
          "GRANT CREATE, USAGE ON SCHEMA public TO demo, pgconcord");

  private final Authentication authentication;
  private final Map<String, String> passwords;

  private ClusterRoles(Authentication authentication, Map<String, String> passwords) {
    this.authentication = authentication;
    this.passwords = passwords;
  }

  static ClusterRoles random(Authentication authentication) {
    return new ClusterRoles(
        authentication,
        Map.of(OWNER, secret(), SERVICE, secret(), ShardProcess.SUPERUSER, secret()));
  }

  /** The role's password; under trust nobody asks for it. */
  public String password(String role) {
    return passwords.getOrDefault(role, "");
  }

  String superuserPassword() {
    return password(ShardProcess.SUPERUSER);
  }

  /** Makes roles, database and grants on every shard. */
  void create(ShardCluster cluster) throws SQLException {
    List<ShardId> shards = cluster.shards();
    String owner = passwordClause(OWNER, password(OWNER));
    String service = passwordClause(SERVICE, password(SERVICE));
    for (ShardId shard : shards) {
      try (Connection admin = cluster.connect(shard, ShardProcess.SUPERUSER, "postgres")) {
        execute(admin, onServer(owner, service));
        if (authentication == Authentication.SCRAM && shard.equals(shards.get(0))) {
          // The others get the same verifier, not only the same password: a router can then log in
          // to all shards with what it learned from one client's login.
          owner = " PASSWORD " + Identifiers.literal(verifier(admin, OWNER));
          service = " PASSWORD " + Identifiers.literal(verifier(admin, SERVICE));
        }
      }
      try (Connection admin = cluster.asSuperuser(shard)) {
        execute(admin, IN_DATABASE);
      }
    }
  }

  /** What {@link #create} does under trust, where it is the same on every shard. */
  static String underTrust() {
    return String.join(";", onServer("", "")) + ";" + String.join(";", IN_DATABASE);
  }

  private static List<String> onServer(String owner, String service) {
    return List.of(
        "CREATE ROLE demo LOGIN" + owner,
        "CREATE ROLE pgconcord LOGIN REPLICATION BYPASSRLS" + service,
        "GRANT demo TO pgconcord",
        "GRANT pg_monitor TO pgconcord",
        "GRANT pg_signal_backend TO pgconcord",
        "CREATE DATABASE app");
  }

  private String passwordClause(String role, String password) {
    return authentication == Authentication.SCRAM
        ? " PASSWORD " + Identifiers.literal(passwords.getOrDefault(role, password))
        : "";
  }

  private static String verifier(Connection admin, String role) throws SQLException {
    try (Statement statement = admin.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "SELECT rolpassword FROM pg_authid WHERE rolname = " + Identifiers.literal(role))) {
      rows.next();
      return rows.getString(1);
    }
  }

  private static void execute(Connection connection, List<String> statements) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String each : statements) {
        statement.execute(each);
      }
    }
  }

  private static String secret() {
    byte[] bytes = new byte[16];
    new SecureRandom().nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }
}
