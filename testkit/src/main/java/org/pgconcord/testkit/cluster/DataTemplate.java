package org.pgconcord.testkit.cluster;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.zip.CRC32;

/**
 * The data directory of a new shard under trust, with roles and database: made the long way once
 * per machine, user and version, beside the unpacked binaries, and copied for each shard, which
 * takes a tenth of {@code initdb}'s time. Each copy is a server with a number of its own.
 *
 * <p>As with the binaries, whoever makes it renames it into place: one that has its final name is
 * complete. Its name says what it was made by, so that another form of it is made anew.
 */
final class DataTemplate {
  private final Path path;

  private DataTemplate(Path path) {
    this.path = path;
  }

  /** Makes a shard's data directory at a path that does not exist, and stops its server. */
  @FunctionalInterface
  interface Maker {
    void make(Path data) throws IOException;
  }

  static DataTemplate of(PostgresBinaries binaries, Maker maker) throws IOException {
    Path home = binaries.home();
    CRC32 form = new CRC32();
    form.update((ShardProcess.INITDB + ClusterRoles.underTrust()).getBytes(StandardCharsets.UTF_8));
    Path path =
        home.resolveSibling(home.getFileName() + "-data-" + Long.toHexString(form.getValue()));
    if (!Files.isDirectory(path)) {
      install(path, maker);
    }
    return new DataTemplate(path);
  }

  private static void install(Path path, Maker maker) throws IOException {
    Path fresh = Files.createTempDirectory(path.resolveSibling("."), ".making-");
    try {
      maker.make(fresh.resolve("data"));
      Files.move(fresh.resolve("data"), path, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      if (!Files.isDirectory(path)) {
        throw e;
      }
    } finally {
      Directories.delete(fresh);
    }
  }

  void copyTo(Path data) throws IOException {
    Directories.copy(path, data);
    SystemIdentifier.renew(data);
  }
}
