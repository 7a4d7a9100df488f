package org.pgconcord.config.sharding;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.pgconcord.config.topology.KeyRange;
import org.pgconcord.config.topology.ShardGroup;
import org.pgconcord.config.topology.ShardIndex;
import org.pgconcord.config.topology.ShardIndexType;
import org.pgconcord.config.value.ShardId;

/** The committed vectors of composite keys, buckets and bounds of integer ranges hold. */
class IndexVectorsTest {
  private static final Path TABLE = Path.of("..", "docs", "routing-index-vectors.tsv");

  @TestFactory
  List<DynamicTest> everyVectorHolds() throws IOException {
    return Files.readAllLines(TABLE).stream()
        .filter(line -> !line.startsWith("#"))
        .map(line -> DynamicTest.dynamicTest(line, () -> check(line.split("\t", -1))))
        .toList();
  }

  private static void check(String[] vector) {
    List<String> key = List.of(vector[2].substring(1, vector[2].length() - 1).split("','", -1));
    switch (vector[0]) {
      case "composite" -> composite(vector, key.stream().map(IndexVectorsTest::unescaped).toList());
      case "modulo" -> {
        ShardIndex index =
            new ShardIndex(
                "i",
                ShardIndexType.MODULO,
                List.of("id"),
                OptionalLong.of(Long.parseLong(vector[1])));
        ShardLocator locator = new ShardLocator(group(""), index, KeyType.INT);
        assertThat(locator.routingValue(key)).isEqualTo(Long.parseLong(vector[3]));
      }
      case "range" -> {
        ShardIndex index =
            new ShardIndex("i", ShardIndexType.RANGE, List.of("id"), OptionalLong.empty());
        ShardLocator locator = new ShardLocator(group(vector[1]), index, KeyType.INT);
        assertThat(locator.locate(key).uid()).isEqualTo(vector[3]);
      }
      default -> throw new AssertionError(vector[0]);
    }
  }

  private static void composite(String[] vector, List<String> key) {
    List<KeyType> types = Arrays.stream(vector[1].split(",")).map(KeyType::valueOf).toList();
    byte[] bytes = ShardKeyEncoder.encode(types, key);
    assertThat("x" + HexFormat.of().formatHex(bytes)).isEqualTo(vector[3]);
    ShardIndex index =
        new ShardIndex(
            "i",
            ShardIndexType.XXHASH,
            types.stream().map(Enum::name).toList(),
            OptionalLong.empty());
    ShardLocator locator = new ShardLocator(group(""), index, types);
    assertThat(HexFormat.of().toHexDigits(locator.routingValue(key))).isEqualTo(vector[4]);
  }

  private static String unescaped(String text) {
    return text.replace("\\\\", "\\");
  }

  private static ShardGroup group(String bound) {
    return new ShardGroup(
        "g",
        Optional.empty(),
        List.of(
            new KeyRange(new ShardId("below"), "", bound),
            new KeyRange(new ShardId("from"), bound, "")));
  }
}
