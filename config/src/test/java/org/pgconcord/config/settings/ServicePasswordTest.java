package org.pgconcord.config.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.settings.DaemonSettings.ServiceRole;

class ServicePasswordTest {
  private static final ShardAddress HERE = new ShardAddress("127.0.0.1", 5433);

  @Test
  void thePasswordFileGoesByItsFirstMatchingLine() {
    List<String> lines =
        List.of(
            "# 127.0.0.1:5433:app:pgconcord:comment",
            "other:5433:app:pgconcord:no",
            "127.0.0.1:5433:other:pgconcord:no",
            "127.0.0.1:5433:app:pgconcord:with\\:colon\\\\and:more",
            "*:*:*:pgconcord:any");
    assertThat(PasswordFile.find(lines, HERE, "app", "pgconcord")).contains("with:colon\\and:more");
    assertThat(PasswordFile.find(lines, HERE, "db", "pgconcord")).contains("any");
    assertThat(PasswordFile.find(lines, HERE, "db", "demo")).isEmpty();
  }

  @Test
  void theEnvironmentBeatsTheFileWhichBeatsPgpass(@TempDir Path directory) throws IOException {
    Path file = Files.writeString(directory.resolve("file"), "from file\nnot this\n");
    Path pgpass = Files.writeString(directory.resolve("pgpass"), "*:*:*:*:from pgpass\n");
    ServiceRole withFile = new ServiceRole("pgconcord", Optional.of(file));
    ServiceRole without = new ServiceRole("pgconcord", Optional.empty());
    Map<String, String> environment = Map.of("PGPASSFILE", pgpass.toString());
    Map<String, String> more = Map.of("PGCONCORD_SERVICE_ROLE_PASSWORD", "from environment");
    assertThat(new ServicePassword(withFile, more).find(HERE, "app")).contains("from environment");
    assertThat(new ServicePassword(withFile, environment).find(HERE, "app")).contains("from file");
    assertThat(new ServicePassword(without, environment).find(HERE, "app")).contains("from pgpass");
    assertThat(new ServicePassword(withFile, more)).hasToString("ServicePassword[pgconcord]");
  }

  @Test
  void aFileThatCannotBeReadIsAnError(@TempDir Path directory) {
    ServiceRole role = new ServiceRole("pgconcord", Optional.of(directory.resolve("absent")));
    assertThatThrownBy(() -> new ServicePassword(role, Map.of()).find(HERE, "app"))
        .isInstanceOf(ConcordException.class)
        .hasMessageContaining("absent");
  }
}
