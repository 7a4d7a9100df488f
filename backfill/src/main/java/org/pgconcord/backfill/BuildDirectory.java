package org.pgconcord.backfill;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.pgconcord.backfill.run.RunNote;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.ShardId;

/**
 * Where a build's runs are: {@code backfill/GSI/BUILD/SHARD-RANGE-LOOKUP.run} under the state
 * directory. Names that are not plain are written in hexadecimal.
 */
public final class BuildDirectory {
  private final Path root;
  private final Path directory;

  BuildDirectory(Path stateDirectory, GsiName gsi, String build) {
    this.root = rootOf(stateDirectory, gsi);
    this.directory = root.resolve(build);
  }

  static Path rootOf(Path stateDirectory, GsiName gsi) {
    return stateDirectory.resolve("backfill").resolve(plain(gsi.toString()));
  }

  public Path path() {
    return directory;
  }

  /**
   * A run's file.
   *
   * @param lookup the lookup shard's place among the index's
   */
  public String runName(ShardId shard, int range, int lookup) {
    return plain(shard.uid()) + "-" + range + "-" + lookup + ".run";
  }

  /** Makes the directory and removes what earlier builds of the index left, and loose files. */
  void prepare(BuildNote note) throws IOException {
    Files.createDirectories(directory);
    for (Path other : children(root)) {
      if (!other.equals(directory)) {
        deleteTree(other);
      }
    }
    Set<String> known =
        note.shards().values().stream()
            .flatMap(shard -> shard.runs().stream())
            .map(RunNote::file)
            .collect(Collectors.toSet());
    for (Path file : children(directory)) {
      if (!known.contains(String.valueOf(file.getFileName()))) {
        Files.delete(file);
      }
    }
  }

  void delete() throws IOException {
    deleteTree(root);
  }

  private static List<Path> children(Path parent) throws IOException {
    try (Stream<Path> list = Files.list(parent)) {
      return list.toList();
    }
  }

  static void deleteTree(Path tree) throws IOException {
    if (!Files.exists(tree)) {
      return;
    }
    List<Path> all;
    try (Stream<Path> walk = Files.walk(tree)) {
      all = walk.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path path : all) {
      Files.delete(path);
    }
  }

  private static String plain(String name) {
    boolean safe = name.matches("[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}");
    return safe ? name : "x" + HexFormat.of().formatHex(name.getBytes(StandardCharsets.UTF_8));
  }
}
