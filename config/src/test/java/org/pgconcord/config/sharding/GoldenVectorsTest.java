package org.pgconcord.config.sharding;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Test;

/** The committed vectors hold: rows placed by an earlier version are still found. */
class GoldenVectorsTest {
  private static final Path TABLE = Path.of("..", "docs", "routing-vectors.tsv");

  /** One line of the table. */
  private record Vector(KeyType type, String text, String bytes, String hash) {}

  @Test
  void everyVectorHolds() throws IOException {
    SoftAssertions all = new SoftAssertions();
    for (Vector vector : vectors()) {
      byte[] encoded = ShardKeyEncoder.encode(vector.type(), vector.text());
      all.assertThat(HexFormat.of().formatHex(encoded))
          .as(vector.toString())
          .isEqualTo(vector.bytes());
      all.assertThat(HexFormat.of().toHexDigits(XxHash.hash64(encoded)))
          .as(vector.toString())
          .isEqualTo(vector.hash());
    }
    all.assertAll();
  }

  @Test
  void thereAreEnoughOfEachType() throws IOException {
    List<Vector> vectors = vectors();
    List<KeyType> madeByXxhsum = List.of(KeyType.INT, KeyType.TEXT, KeyType.UUID, KeyType.BYTEA);
    assertThat(vectors).filteredOn(v -> madeByXxhsum.contains(v.type())).hasSizeGreaterThan(200);
    assertThat(vectors).extracting(Vector::type).contains(KeyType.values());
  }

  private static List<Vector> vectors() throws IOException {
    return Files.readAllLines(TABLE).stream()
        .filter(line -> !line.startsWith("#"))
        .map(line -> line.split("\t", -1))
        .map(
            f ->
                new Vector(
                    KeyType.valueOf(f[0]),
                    unescaped(f[1].substring(1, f[1].length() - 1)),
                    f[2].substring(1),
                    f[3]))
        .toList();
  }

  private static String unescaped(String text) {
    return text.replace("\\n", "\n").replace("\\t", "\t").replace("\\\\", "\\");
  }
}
