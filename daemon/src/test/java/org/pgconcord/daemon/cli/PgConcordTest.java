package org.pgconcord.daemon.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.daemon.admin.AdminServer;
import org.pgconcord.daemon.admin.Answer;
import org.pgconcord.daemon.admin.Route;

/**
 * The command line against an admin server that answers as told: what is printed, what it exits.
 */
class PgConcordTest {
  private static final Path EXAMPLES = Path.of("../docs/examples");

  private String out = "";
  private String err = "";

  @Test
  void helpNamesTheExitCodes() {
    assertThat(run("--help")).isZero();
    assertThat(out).contains("gsi", "reference", "4 refused as unsafe");
  }

  @Test
  void anUnknownOptionIsAUsageError() {
    assertThat(run("gsi", "status", "by_email", "--colour")).isEqualTo(2);
  }

  @Test
  void noDaemonIsExit7AndSaysWhatToDo() {
    assertThat(run("gsi", "status", "by_email", "--admin", "127.0.0.1:1")).isEqualTo(7);
    assertThat(err)
        .contains("error: no daemon answers at 127.0.0.1:1")
        .contains("what to do: Start one with")
        .contains("code:       admin/unreachable");
  }

  @Test
  void aBadAddressIsBadConfiguration() {
    assertThat(run("gsi", "status", "by_email", "--admin", "nonsense")).isEqualTo(78);
    assertThat(err).contains("--admin is \"nonsense\"");
  }

  @Test
  void aRefusalIsExit4WithEveryUnmetCondition() {
    Route refusing =
        post(
            "enable",
            () -> {
              throw ErrorCode.GATE_REFUSED
                  .because("app.by_email cannot be enabled: 2 conditions are not met")
                  .withDetail("report: there is none\nlag: 14 s on shard-b");
            });
    assertThat(against(refusing, "gsi", "enable", "by_email")).isEqualTo(4);
    assertThat(err).contains("report: there is none", "lag: 14 s on shard-b", "gsi/gate-refused");
  }

  @Test
  void aRefusalAsJsonIsAnErrorObjectOnStandardError() {
    Route refusing =
        post(
            "enable",
            () -> {
              throw ErrorCode.GATE_REFUSED.because("no");
            });
    assertThat(against(refusing, "gsi", "enable", "by_email", "--output", "json")).isEqualTo(4);
    assertThat(out).isEmpty();
    assertThat(err).contains("\"code\" : \"gsi/gate-refused\"");
  }

  @Test
  void differencesAreExit3() {
    Route verify = post("verify", () -> Answer.json(Map.of("clean", false, "missing", 2)));
    assertThat(against(verify, "gsi", "verify", "by_email", "--output", "json")).isEqualTo(3);
    assertThat(out).contains("\"missing\" : 2");
  }

  @Test
  void aTopologyIsCheckedAgainstAFileOfTables(@TempDir Path directory) throws Exception {
    Path schema = directory.resolve("schema.sql");
    String tables =
        """
        CREATE TABLE users (tenant_id bigint, user_id bigint, email text NOT NULL,
          PRIMARY KEY (tenant_id, user_id), UNIQUE (tenant_id, email));
        CREATE TABLE countries (code char(2) PRIMARY KEY, name text);
        """;
    java.nio.file.Files.writeString(schema, tables);
    String example = EXAMPLES.resolve("app.json").toString();
    assertThat(run("topology", "check", example, "--schema", schema.toString())).isEqualTo(78);
    assertThat(out).contains("[gsi/replica-identity]", "1 error");
    java.nio.file.Files.writeString(schema, tables + "ALTER TABLE users REPLICA IDENTITY FULL;");
    assertThat(run("topology", "check", example, "--schema", schema.toString(), "--output", "json"))
        .isZero();
    assertThat(out).contains("\"checked\" : \"schema\"");
  }

  @Test
  void aTopologyIsCheckedAgainstOneThingAtATime() {
    assertThat(run("topology", "check", "x", "--schema", "y", "--config", "z")).isEqualTo(2);
  }

  @Test
  void theGrantsArePrintedWithoutAnyServer() {
    String config = EXAMPLES.resolve("serve.json").toString();
    assertThat(run("doctor", "--config", config, "--print-grants")).isZero();
    assertThat(out)
        .contains("-- on shard-a (127.0.0.1:5433)", "-- on shard-b (127.0.0.1:5434)")
        .containsOnlyOnce("GRANT USAGE, CREATE ON SCHEMA \"public\" TO \"pgconcord\";")
        .containsOnlyOnce("\nGRANT SELECT ON pg_catalog.pg_authid TO \"pgconcord\";");
  }

  private static Route post(String operation, java.util.function.Supplier<Answer> answer) {
    return new Route("POST", "/api/v1/gsis/{name}/" + operation, request -> answer.get());
  }

  private int against(Route route, String... arguments) {
    try (AdminServer server =
        new AdminServer(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), List.of(route))) {
      server.start();
      List<String> all = new java.util.ArrayList<>(List.of(arguments));
      all.addAll(List.of("--admin", "127.0.0.1:" + server.address().getPort()));
      return run(all.toArray(String[]::new));
    }
  }

  private int run(String... arguments) {
    PrintStream outBefore = System.out;
    PrintStream errBefore = System.err;
    ByteArrayOutputStream outBytes = new ByteArrayOutputStream();
    ByteArrayOutputStream errBytes = new ByteArrayOutputStream();
    System.setOut(new PrintStream(outBytes, true, StandardCharsets.UTF_8));
    System.setErr(new PrintStream(errBytes, true, StandardCharsets.UTF_8));
    try {
      return PgConcord.run(arguments);
    } finally {
      System.setOut(outBefore);
      System.setErr(errBefore);
      out = outBytes.toString(StandardCharsets.UTF_8);
      err = errBytes.toString(StandardCharsets.UTF_8);
    }
  }
}
