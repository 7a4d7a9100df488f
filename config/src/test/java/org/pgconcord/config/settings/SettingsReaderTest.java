package org.pgconcord.config.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.ShardId;

class SettingsReaderTest {
  private static final Path HOME = Path.of("/etc/pgconcord");
  private static final ShardId A = new ShardId("shard-a");
  private static final String FILE =
      """
      {"topology": "app.json",
       "router": {"listen": "127.0.0.1:6432", "auth": "scram"},
       "admin": {"listen": "[::1]:9432"},
       "state_dir": "/var/lib/pgconcord",
       "catalog_database": "app",
       "service_role": {"user": "pgconcord", "password_file": "secret"},
       "shards": {"shard-a": {"hosts": ["127.0.0.1:5433", "db.example:5433"],
                              "replicas": ["db.example:5433", "[::1]:5434"], "sslmode": "require",
                              "databases": {"app": "app_a"}}}}
      """;

  @Test
  void aFullFileIsReadWithPathsFromItsDirectory() {
    DaemonSettings settings = SettingsReader.read(FILE, HOME, Overrides.none());
    assertThat(settings.topology()).contains(HOME.resolve("app.json"));
    assertThat(settings.serviceRole().passwordFile()).contains(HOME.resolve("secret"));
    assertThat(settings.stateDir()).isEqualTo(Path.of("/var/lib/pgconcord"));
    assertThat(settings.admin().listen()).isEqualTo(new ShardAddress("::1", 9432));
    assertThat(settings.shards().get(A))
        .isEqualTo(
            new ShardSettings(
                List.of(new ShardAddress("127.0.0.1", 5433), new ShardAddress("db.example", 5433)),
                List.of(new ShardAddress("db.example", 5433), new ShardAddress("::1", 5434)),
                "require",
                Map.of("app", "app_a")));
  }

  @Test
  void theRestHasDefaults() {
    String least =
        """
        {"state_dir": "state", "catalog_database": "app",
         "shards": {"shard-a": {"hosts": ["h:5432"]}}}
        """;
    DaemonSettings settings = SettingsReader.read(least, HOME, Overrides.none());
    assertThat(settings.router())
        .isEqualTo(
            new DaemonSettings.Router(
                new ShardAddress("127.0.0.1", 6432),
                DaemonSettings.Auth.SCRAM,
                Optional.empty(),
                Duration.ofSeconds(30),
                Duration.ofSeconds(10)));
    assertThat(settings.admin().listen()).hasToString("127.0.0.1:9432");
    assertThat(settings.serviceRole().user()).isEqualTo("pgconcord");
    assertThat(settings.topology()).isEmpty();
    ShardSettings shard = settings.shards().values().iterator().next();
    assertThat(shard.sslmode()).isEqualTo("prefer");
    assertThat(shard.database("app")).isEqualTo("app");
  }

  @ParameterizedTest
  @CsvSource({"1s, 1000", "90 s, 90000", "2min, 120000", "1500ms, 1500"})
  void aTimeIsWrittenAsPostgresWritesIt(String text, long millis) {
    Map<String, String> flags = Map.of("router.answer_timeout", text);
    assertThat(SettingsReader.read(FILE, HOME, new Overrides(flags, Map.of())).router())
        .extracting(DaemonSettings.Router::answerTimeout)
        .isEqualTo(Duration.ofMillis(millis));
  }

  @ParameterizedTest
  @ValueSource(strings = {"30", "0s", "2h", "61min", "-1s", "1.5s", "s"})
  void anotherTimeIsAFault(String text) {
    Map<String, String> environment = Map.of("PGCONCORD_ROUTER_ANSWER_TIMEOUT", text);
    assertThatThrownBy(() -> SettingsReader.read(FILE, HOME, new Overrides(Map.of(), environment)))
        .asInstanceOf(InstanceOfAssertFactories.type(ConcordException.class))
        .extracting(ConcordException::detail)
        .asString()
        .contains("PGCONCORD_ROUTER_ANSWER_TIMEOUT", "\"" + text + "\"");
  }

  @Test
  void nobodyNeedsToWaitForAPrimary() {
    Map<String, String> flags = Map.of("router.failover_wait", "0s");
    assertThat(SettingsReader.read(FILE, HOME, new Overrides(flags, Map.of())).router())
        .extracting(DaemonSettings.Router::failoverWait)
        .isEqualTo(Duration.ZERO);
  }

  @Test
  void aFlagBeatsTheEnvironmentWhichBeatsTheFile() {
    Map<String, String> environment =
        Map.of("PGCONCORD_ROUTER_LISTEN", "127.0.0.1:7000", "PGCONCORD_STATE_DIR", "elsewhere");
    Map<String, String> flags = Map.of("router.listen", "127.0.0.1:8000");
    DaemonSettings settings = SettingsReader.read(FILE, HOME, new Overrides(flags, environment));
    assertThat(settings.router().listen().port()).isEqualTo(8000);
    assertThat(settings.stateDir()).isEqualTo(HOME.resolve("elsewhere"));
  }

  @Test
  void allFaultsAreToldAtOnce() {
    String faulty =
        """
        {"router": {"listen": "0.0.0.0:6432", "auth": "trust", "lisen": 1},
         "admin": {"listen": "10.0.0.1:9432"},
         "catalog_database": "",
         "service_role": {"password": "hunter2"},
         "shards": {"shard-a": {"hosts": ["nowhere"], "sslmode": "preferred"}, "shard-b": {}}}
        """;
    assertThatThrownBy(() -> SettingsReader.read(faulty, HOME, Overrides.none()))
        .isInstanceOfSatisfying(
            ConcordException.class,
            e -> {
              assertThat(e.code()).isEqualTo(ErrorCode.CONFIG_INVALID);
              assertThat(String.valueOf(e.detail()))
                  .contains(
                      "$.router.auth: trust is for loopback listeners only",
                      "$.router.lisen: unknown key",
                      "$.admin.listen: an admin address off loopback",
                      "$.catalog_database: the text is empty",
                      "$.service_role.password: a password is never written here",
                      "$.state_dir: the key \"state_dir\" is missing",
                      "$.shards[\"shard-a\"].hosts: expected HOST:PORT, found \"nowhere\"",
                      "$.shards[\"shard-a\"].sslmode: unknown sslmode \"preferred\" (did you mean"
                          + " \"prefer\"?)",
                      "$.shards[\"shard-b\"].hosts: the key \"hosts\" is missing")
                  .doesNotContain("hunter2");
            });
  }

  @Test
  void aFaultNamesTheFlagOrVariableItCameFrom() {
    Overrides overrides = new Overrides(Map.of(), Map.of("PGCONCORD_ADMIN_LISTEN", "9432"));
    assertThatThrownBy(() -> SettingsReader.read(FILE, HOME, overrides))
        .isInstanceOfSatisfying(
            ConcordException.class,
            e -> assertThat(String.valueOf(e.detail())).startsWith("PGCONCORD_ADMIN_LISTEN: "));
  }
}
