package org.pgconcord.daemon.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.daemon.admin.AdminServer;
import org.pgconcord.daemon.admin.Answer;
import org.pgconcord.daemon.admin.Json;
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
  void aWaitThatIsOverIsExit5() {
    CountDownLatch forever = new CountDownLatch(1);
    Route hanging =
        post(
            "verify",
            () -> {
              await(forever);
              return Answer.json(Map.of());
            });
    assertThat(against(hanging, "gsi", "verify", "by_email", "--timeout", "1")).isEqualTo(5);
    assertThat(err).contains("no answer within 1 s", "admin/timed-out");
    forever.countDown();
  }

  @Test
  void aBuildThatTakesLongerThanItIsWaitedForIsExit5AndGoesOn() {
    Answer running = Answer.json(Map.of("running", true, "step", "filling"));
    List<Route> routes =
        List.of(
            post("build", () -> running),
            new Route("GET", "/api/v1/gsis/{name}/build", request -> running));
    assertThat(against(routes, "gsi", "build", "by_email", "--timeout", "1")).isEqualTo(5);
    assertThat(err).contains("the build goes on in the daemon, at step filling");
  }

  @Test
  void aStepThatWaitedTooLongIsExit5AndNamesWhatItWaitedFor() {
    Route draining =
        post(
            "disable",
            () -> {
              throw ErrorCode.GSI_TIMED_OUT
                  .because("app.by_email: transactions of the older state are still open")
                  .withDetail("shard-a: pid 4711, user demo");
            });
    assertThat(against(draining, "gsi", "disable", "by_email")).isEqualTo(5);
    assertThat(err).contains("pid 4711, user demo", "gsi/timed-out");
  }

  @Test
  void applyingTellsTheRevisionAndWhatChangedInsteadOfTheDocument() {
    Route apply =
        new Route(
            "POST",
            "/api/v1/topology",
            request ->
                Answer.json(
                    Map.of(
                        "document_revision", 7, "changes", List.of("added x.y"), "document", "?")));
    String example = EXAMPLES.resolve("app.json").toString();
    assertThat(against(apply, "topology", "apply", example)).isZero();
    assertThat(out).contains("applied as revision 7\n  added x.y\n").doesNotContain("?");
    assertThat(against(apply, "topology", "apply", example, "--output", "json")).isZero();
    assertThat(out).contains("\"document\" : \"?\"");
  }

  @Test
  void aPlanSaysWhatWouldChangeAndExitsAsTheApplyingWould() {
    String example = EXAMPLES.resolve("app.json").toString();
    Map<String, Object> plan =
        new HashMap<>(
            Map.of("revision", 7, "applies", true, "errors", 0, "changes", List.of("added x.y")));
    Route route = new Route("POST", "/api/v1/topology/plan", request -> Answer.json(plan));
    assertThat(against(List.of(route), "topology", "apply", "--plan", example)).isZero();
    assertThat(out).contains("added x.y", "nothing has been changed", "--expected-revision 7");
    plan.put("applies", false);
    plan.put("violations", List.of("app.by_email would no longer be enabled"));
    assertThat(against(List.of(route), "topology", "apply", "--plan", example)).isEqualTo(4);
    assertThat(out).contains("cannot be applied", "would no longer be enabled");
    plan.put("errors", 1);
    plan.put("changes", List.of());
    assertThat(against(List.of(route), "topology", "apply", "--plan", example)).isEqualTo(78);
    assertThat(out).doesNotContain("nothing is different");
  }

  @Test
  void aFileIsComparedWithTheAppliedDocumentOrAnEarlierOne() throws Exception {
    Path example = EXAMPLES.resolve("app.json");
    JsonNode document = Json.read(Files.readString(example), "the example");
    JsonNode other =
        Json.read(Files.readString(example).replace("\"by_email\"", "\"by_mail\""), "the example");
    List<Route> routes =
        List.of(
            new Route(
                "GET",
                "/api/v1/topology",
                request -> Answer.json(Map.of("document_revision", 9, "document", document))),
            new Route(
                "GET",
                "/api/v1/topology/history/{revision}",
                request -> Answer.json(Map.of("revision", 3, "document", other))));
    assertThat(against(routes, "topology", "diff", example.toString())).isZero();
    assertThat(out).contains("from revision 9 to the file", "nothing is different");
    assertThat(against(routes, "topology", "diff", example.toString(), "--revision", "3"))
        .isEqualTo(3);
    assertThat(out).contains("from revision 3 to the file", "by_email");
    assertThat(against(routes, "topology", "show", "--revision", "3")).isZero();
    assertThat(Json.read(out, "what was printed")).isEqualTo(other);
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

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private int against(Route route, String... arguments) {
    return against(List.of(route), arguments);
  }

  private int against(List<Route> routes, String... arguments) {
    try (AdminServer server =
        new AdminServer(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), routes)) {
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
