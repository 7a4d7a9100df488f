package org.pgconcord.daemon.process;

import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32;
import org.pgconcord.daemon.Main;

/**
 * The class path of daemons in child JVMs, and an archive of the classes that a daemon loads: a
 * start spends nearly half of its time on reading and checking them. The first test that starts a
 * daemon makes the archive of a whole life of one; those that run beside it meanwhile do without.
 *
 * <p>A JVM archives classes of jars alone. Where the daemon is not in one, as when a single test is
 * run from compiled classes, there is no archive.
 */
public final class DaemonClasses {
  private static final Path BUILD = Path.of("target");
  private static final Duration END = Duration.ofMinutes(3);

  private final String path;
  private final List<String> flags;

  private DaemonClasses(String path, List<String> flags) {
    this.path = path;
    this.flags = flags;
  }

  public static DaemonClasses find() throws IOException {
    String path =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    List<String> jars = new ArrayList<>();
    for (String entry : path.split(File.pathSeparator)) {
      if (Files.isRegularFile(Path.of(entry))) {
        jars.add(entry);
      }
    }
    String daemon = Main.class.getProtectionDomain().getCodeSource().getLocation().getPath();
    if (!jars.contains(daemon)) {
      return new DaemonClasses(path, List.of());
    }
    String inJars = String.join(File.pathSeparator, jars);
    Path archive = BUILD.resolve("daemon-" + checksum(jars) + ".jsa").toAbsolutePath();
    if (!Files.exists(archive)) {
      makeUnlessOthersDo(inJars, archive);
    }
    return new DaemonClasses(
        inJars, Files.exists(archive) ? List.of("-XX:SharedArchiveFile=" + archive) : List.of());
  }

  /** The begin of a command: a JVM for a short life, with the class path. */
  public List<String> java() {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.addAll(flags);
    command.addAll(List.of("-cp", path));
    return command;
  }

  /** Jars that are built again are others, though they have the same names. */
  private static String checksum(List<String> jars) throws IOException {
    CRC32 sum = new CRC32();
    for (String jar : jars) {
      Path file = Path.of(jar);
      sum.update(
          (jar + Files.size(file) + Files.getLastModifiedTime(file))
              .getBytes(StandardCharsets.UTF_8));
    }
    return Long.toHexString(sum.getValue());
  }

  private static synchronized void makeUnlessOthersDo(String jars, Path archive)
      throws IOException {
    Path making = archive.resolveSibling(archive.getFileName() + ".making");
    try (FileChannel file =
            FileChannel.open(making, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock ours = file.tryLock()) {
      if (ours != null && !Files.exists(archive)) {
        make(jars, archive);
      }
    }
  }

  private static void make(String jars, Path archive) throws IOException {
    Path draft = archive.resolveSibling(archive.getFileName() + ".draft");
    try {
      record(new DaemonClasses(jars, List.of("-XX:ArchiveClassesAtExit=" + draft)));
    } catch (IOException e) {
      throw e;
    } catch (Exception e) {
      throw new IOException("no archive of a daemon's classes", e);
    }
    Files.move(draft, archive, StandardCopyOption.ATOMIC_MOVE);
  }

  /** A JVM writes the archive when it ends in order. */
  private static void record(DaemonClasses recording) throws Exception {
    try (SampleSystem system = SampleSystem.start(100, 1);
        DaemonProcess daemon =
            DaemonProcess.launch(
                recording,
                system.configFile(),
                system.adminPort(),
                system.configFile().resolveSibling("daemon.log"),
                List.of())) {
      Gsi gsi = new Gsi(daemon.awaitReady());
      gsi.build();
      gsi.verifyAndEnable();
      try (Connection router = system.router();
          Statement statement = router.createStatement()) {
        statement.execute("SELECT count(*) FROM users");
      }
      daemon.terminate(END);
    }
  }
}
