package org.pgconcord.config.settings;

import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.sql.SQLException;
import java.util.Optional;
import org.pgconcord.config.value.Identifiers;

/**
 * What to do about a server that lets nobody in, by what it said (PostgreSQL manual, appendix A) or
 * by how it kept silent. Pure.
 */
final class ConnectFailure {
  private final String user;
  private final String database;
  private final ShardAddress host;

  ConnectFailure(String user, String database, ShardAddress host) {
    this.user = user;
    this.database = database;
    this.host = host;
  }

  /** Empty when the catalogue's general remedy is all that can be said. */
  Optional<String> remedy(SQLException failure) {
    String state = failure.getSQLState() == null ? "" : failure.getSQLState();
    String role = Identifiers.quote(user);
    return switch (state) {
      case "28P01" ->
          Optional.of(
              "The server knows another password of role "
                  + user
                  + ": correct service_role.password_file, PGCONCORD_SERVICE_ROLE_PASSWORD or"
                  + " .pgpass, or ALTER ROLE "
                  + role
                  + " PASSWORD on the server.");
      case "28000" ->
          Optional.of(
              "Let role "
                  + user
                  + " in: CREATE ROLE or ALTER ROLE "
                  + role
                  + " LOGIN, and a line for it in the server's pg_hba.conf (then reload).");
      case "3D000" ->
          Optional.of(
              "Create database "
                  + database
                  + " on that server, or name the one it has with shards.X.databases.");
      case "42501" ->
          Optional.of(
              "GRANT CONNECT ON DATABASE " + Identifiers.quote(database) + " TO " + role + ";");
      case "53300" ->
          Optional.of("Raise max_connections on that server, or end connections to it.");
      case "57P03" -> Optional.of("The server is starting or stopping: try again in a moment.");
      case "08004" ->
          Optional.of(
              "The server asks for a password: name it in service_role.password_file,"
                  + " PGCONCORD_SERVICE_ROLE_PASSWORD or .pgpass.");
      default -> silence(failure);
    };
  }

  private Optional<String> silence(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof UnknownHostException) {
        return Optional.of("Correct the host name in shards.X.hosts: nobody knows " + host.host());
      }
      if (cause instanceof SocketTimeoutException) {
        return Optional.of(
            host + " keeps silent: look for a firewall, or for a server that hangs.");
      }
      if (cause instanceof ConnectException) {
        return Optional.of(
            "Nothing listens at "
                + host
                + ": start the server, or correct shards.X.hosts (and its listen_addresses).");
      }
    }
    return Optional.empty();
  }
}
