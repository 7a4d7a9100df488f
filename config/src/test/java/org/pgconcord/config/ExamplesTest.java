package org.pgconcord.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.settings.DaemonSettings;
import org.pgconcord.config.settings.Overrides;
import org.pgconcord.config.settings.SettingsReader;
import org.pgconcord.config.topology.Topology;
import org.pgconcord.config.topology.TopologyReader;

/** The examples that docs/formats.md points to are valid and fit each other. */
class ExamplesTest {
  private static final Path EXAMPLES = Path.of("..", "docs", "examples");

  @Test
  void theConfigurationNamesTheTopologyAndAllItsShards() throws IOException {
    DaemonSettings settings =
        SettingsReader.read(
            Files.readString(EXAMPLES.resolve("serve.json")), EXAMPLES, Overrides.none());
    Topology topology =
        TopologyReader.read(Files.readString(settings.topology().orElseThrow())).orThrow();
    assertThat(settings.shards().keySet()).containsExactlyElementsOf(topology.shards());
    assertThat(topology.databases()).containsOnlyKeys(settings.catalogDatabase());
  }
}
