package org.pgconcord.testkit.cluster.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.settings.DaemonSettings;
import org.pgconcord.config.settings.Overrides;
import org.pgconcord.config.settings.SettingsReader;
import org.pgconcord.config.topology.TopologyReader;
import org.pgconcord.config.topology.TopologyReading;
import org.pgconcord.config.value.ShardId;

/** The files under docs/examples are read as they stand. */
final class ExamplesTest {
  private static final Path EXAMPLES = Path.of("..", "docs", "examples");
  private static final List<ShardId> SHARDS =
      List.of(new ShardId("shard-a"), new ShardId("shard-b"));

  @Test
  void theSampleTopologyOverTwoShardsIsTheExample() throws IOException {
    TopologyReading example = TopologyReader.read(Files.readString(EXAMPLES.resolve("app.json")));
    TopologyReading sample = TopologyReader.read(SampleTopology.document(SHARDS));
    assertThat(example.findings()).isEmpty();
    assertThat(sample).isEqualTo(example);
  }

  @Test
  void theSampleTopologyIsValidOverAnyNumberOfShards() {
    List<ShardId> shards = new java.util.ArrayList<>();
    for (char letter = 'a'; letter < 'a' + 16; letter++) {
      shards.add(new ShardId("shard-" + letter));
      assertThat(TopologyReader.read(SampleTopology.document(shards)).findings()).isEmpty();
    }
  }

  @Test
  void theConfigurationIsComplete() throws IOException {
    DaemonSettings settings =
        SettingsReader.read(
            Files.readString(EXAMPLES.resolve("serve.json")), EXAMPLES, Overrides.none());
    assertThat(settings.shards().keySet()).containsExactlyElementsOf(SHARDS);
    assertThat(settings.topology()).hasValueSatisfying(path -> assertThat(path).exists());
  }
}
