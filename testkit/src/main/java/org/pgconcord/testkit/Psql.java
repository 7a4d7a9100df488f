package org.pgconcord.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Runs psql against a server or the router. A test that makes one is skipped, or fails under CI,
 * where psql is missing ({@link RequiredTools}).
 */
public final class Psql {
  private final String program;
  private final String url;
  private final Map<String, String> environment;

  /** psql for {@code role} on {@code database} at a loopback port; an empty password for none. */
  public Psql(int port, String role, String database, String password) {
    this.program = RequiredTools.require("psql").toString();
    this.url =
        "host=127.0.0.1 port=%d user=%s dbname=%s connect_timeout=10"
            .formatted(port, role, database);
    this.environment = Map.of("PGPASSWORD", password, "PGCLIENTENCODING", "UTF8");
  }

  /** Runs the statements in turn, each by {@code -c}: rows unaligned, columns by {@code |}. */
  public ToolRun run(String... statements) {
    List<String> command = command();
    for (String each : statements) {
      command.add("-c");
      command.add(each);
    }
    return ToolRun.of(command, environment, "");
  }

  /** Runs a script from standard input: backslash commands work. */
  public ToolRun script(String text) {
    return ToolRun.of(command(), environment, text);
  }

  private List<String> command() {
    return new ArrayList<>(
        List.of(program, "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", url));
  }
}
