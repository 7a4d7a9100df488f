package org.pgconcord.testkit.cluster;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.pgconcord.config.error.ErrorCode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The directory of one cluster, claimed by a lock file that names the process it belongs to.
 *
 * <p>A directory without lock file is never touched. One whose process lives is refused. One whose
 * process is gone was left by a SIGKILL: it is renamed, which only one of several starters can do,
 * then its servers are ended by pid and it is removed. A pid counts only if the process has its
 * working directory there, so that a reused pid is left alone.
 */
public final class ClusterDirectory {
  static final String PREFIX = "pgconcord-";
  private static final String LOCK = "pgconcord.lock";
  private static final Logger LOG = LoggerFactory.getLogger(ClusterDirectory.class);

  private ClusterDirectory() {}

  /** Claims a new directory in the system's temporary folder. */
  static Path claimTemporary() throws IOException {
    Path directory = Files.createTempDirectory(PREFIX + "cluster-");
    return claim(directory);
  }

  /**
   * Claims {@code directory}, created when it does not exist; one left by a process that is gone is
   * cleaned up first.
   */
  public static Path claim(Path directory) throws IOException {
    Path path = directory.toAbsolutePath().normalize();
    for (int attempt = 0; attempt < 10; attempt++) {
      Files.createDirectories(path);
      if (isOthers(path)) {
        throw ErrorCode.EMBEDDED_DIRECTORY_TAKEN.because(
            path + " is not empty and was not made by pgConcord");
      }
      if (lock(path)) {
        return path;
      }
      Optional<LinuxProcess> owner = owner(path);
      if (owner.isPresent() && owner.get().alive()) {
        throw ErrorCode.EMBEDDED_DIRECTORY_TAKEN.because(
            path + " is in use by process " + owner.get().pid());
      }
      removeLeftover(path);
    }
    throw ErrorCode.EMBEDDED_DIRECTORY_TAKEN.because(
        path + " is claimed by others again and again");
  }

  /** Removes what earlier runs left in the system's temporary folder. */
  public static void sweepTemporary() throws IOException {
    Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
    try (DirectoryStream<Path> candidates = Files.newDirectoryStream(temporary, PREFIX + "*")) {
      for (Path candidate : candidates) {
        if (owner(candidate).filter(o -> !o.alive()).isPresent()) {
          removeLeftover(candidate);
        }
      }
    }
  }

  /** Removes a directory of ours, the lock file last: what is cut short is still recognised. */
  static void remove(Path path) throws IOException {
    if (!Files.isDirectory(path)) {
      return;
    }
    try (DirectoryStream<Path> content = Files.newDirectoryStream(path)) {
      for (Path entry : content) {
        if (!entry.endsWith(LOCK)) {
          Directories.delete(entry);
        }
      }
    }
    Directories.delete(path);
  }

  private static boolean isOthers(Path path) throws IOException {
    if (Files.exists(path.resolve(LOCK))) {
      return false;
    }
    try (DirectoryStream<Path> content = Files.newDirectoryStream(path)) {
      for (Path entry : content) {
        if (!entry.getFileName().toString().startsWith(LOCK)) {
          return true;
        }
      }
      return false;
    }
  }

  /** True when the lock file is ours now: it appears under its name with its whole content. */
  private static boolean lock(Path path) throws IOException {
    LinuxProcess self = LinuxProcess.self();
    Path draft = Files.createTempFile(path, LOCK, ".draft");
    try {
      Files.writeString(draft, self.pid() + " " + self.startTicks() + "\n");
      Files.createLink(path.resolve(LOCK), draft);
      return true;
    } catch (FileAlreadyExistsException e) {
      return false;
    } finally {
      Files.deleteIfExists(draft);
    }
  }

  private static Optional<LinuxProcess> owner(Path path) throws IOException {
    try {
      String[] fields = Files.readString(path.resolve(LOCK)).strip().split(" ");
      return Optional.of(new LinuxProcess(Long.parseLong(fields[0]), Long.parseLong(fields[1])));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      LOG.debug("a lock file is not readable path={}", path, e);
      return Optional.empty();
    }
  }

  private static void removeLeftover(Path path) throws IOException {
    Path aside =
        path.resolveSibling(
            path.getFileName()
                + ".leftover-"
                + LinuxProcess.self().pid()
                + "-"
                + System.nanoTime());
    try {
      Files.move(path, aside, StandardCopyOption.ATOMIC_MOVE);
    } catch (NoSuchFileException e) {
      return; // another starter was faster
    }
    LOG.info("an earlier run was killed, its servers are stopped and removed path={}", path);
    for (Path shard : shardsOf(aside)) {
      endServer(shard.resolve("data"));
    }
    remove(aside);
  }

  private static List<Path> shardsOf(Path directory) throws IOException {
    try (var entries = Files.list(directory)) {
      return entries.filter(p -> Files.isRegularFile(p.resolve("data/postmaster.pid"))).toList();
    }
  }

  private static void endServer(Path data) throws IOException {
    long pid = Long.parseLong(Files.readAllLines(data.resolve("postmaster.pid")).get(0).strip());
    Optional<LinuxProcess> server = LinuxProcess.find(pid);
    Path real = data.toRealPath();
    if (server.isEmpty() || !server.get().workingDirectory().equals(Optional.of(real))) {
      return;
    }
    List<LinuxProcess> backends = children(pid);
    server.get().signal("QUIT");
    if (!server.get().awaitEnd(Duration.ofSeconds(5))) {
      server.get().signal("KILL");
    }
    for (LinuxProcess backend : backends) {
      if (!backend.awaitEnd(Duration.ofSeconds(2))) {
        backend.signal("KILL");
      }
    }
  }

  static List<LinuxProcess> children(long pid) {
    return ProcessHandle.of(pid).stream()
        .flatMap(ProcessHandle::children)
        .flatMap(child -> LinuxProcess.find(child.pid()).stream())
        .toList();
  }
}
