package org.pgconcord.daemon.cli.sql;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.Callable;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.daemon.cli.Terminal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Sends SQL to the router, by default to the demo's. */
@Command(
    name = "sql",
    mixinStandardHelpOptions = true,
    description = {
      "Send SQL to the router, for those without psql.",
      "Without -c it reads statements, each ended by a semicolon; \\q ends. A password is taken"
          + " from PGPASSWORD or from .pgpass."
    })
public final class SqlCommand implements Callable<Integer> {
  @Option(
      names = {"-c", "--command"},
      paramLabel = "SQL",
      description = "Run this and end; may be given several times.")
  private List<String> commands = new ArrayList<>();

  @Option(
      names = {"-H", "--host"},
      defaultValue = "127.0.0.1",
      description = "The router's host (default: ${DEFAULT-VALUE}).")
  private String host = "";

  @Option(
      names = {"-p", "--port"},
      defaultValue = "6432",
      description = "The router's port (default: ${DEFAULT-VALUE}).")
  private int port;

  @Option(
      names = {"-U", "--user"},
      defaultValue = "demo",
      description = "The role (default: ${DEFAULT-VALUE}).")
  private String user = "";

  @Option(
      names = {"-d", "--database"},
      defaultValue = "app",
      description = "The database (default: ${DEFAULT-VALUE}).")
  private String database = "";

  @Override
  public Integer call() throws IOException {
    try (Connection connection = connect()) {
      SqlSession session = new SqlSession(connection, System.out, System.err);
      boolean succeeded = commands.isEmpty() ? read(session) : runAll(session);
      return succeeded ? 0 : 1;
    } catch (SQLException e) {
      throw ErrorCode.SHARD_UNREACHABLE
          .because("no connection to " + host + ":" + port + ": " + e.getMessage())
          .withHint("Start one with \"./pgconcord demo\", or name another with --host and --port.")
          .withCause(e);
    }
  }

  private Connection connect() throws SQLException {
    Properties properties = new Properties();
    properties.setProperty("user", user);
    properties.setProperty("ApplicationName", "pgconcord sql");
    // What is typed is what is sent, in one message, and every value comes back as text.
    properties.setProperty("preferQueryMode", "simple");
    String password = System.getenv("PGPASSWORD");
    if (password != null) {
      properties.setProperty("password", password);
    }
    return DriverManager.getConnection(
        "jdbc:postgresql://" + host + ":" + port + "/" + database, properties);
  }

  private boolean runAll(SqlSession session) {
    boolean succeeded = true;
    for (String each : commands) {
      succeeded &= session.run(each);
    }
    return succeeded;
  }

  private boolean read(SqlSession session) throws IOException {
    boolean prompts = Terminal.INPUT.present();
    boolean succeeded = true;
    StatementText text = new StatementText();
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    while (true) {
      if (prompts) {
        System.out.print(database + (text.isEmpty() ? "=> " : "-> "));
        System.out.flush();
      }
      String line = in.readLine();
      if (line == null || line.strip().equals("\\q")) {
        return (text.isEmpty() || session.run(text.take())) && succeeded;
      }
      if (line.isBlank() && text.isEmpty()) {
        continue;
      }
      if (text.add(line)) {
        succeeded &= session.run(text.take());
      }
    }
  }
}
