package org.pgconcord.testkit.cluster;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.ShardId;

/**
 * One PostgreSQL server as a direct child of this process. It keeps its port and data over stop,
 * {@link #kill} and {@link #start}; {@link #close} ends it without removing anything. Methods may
 * be called by any thread, one at a time.
 */
public final class ShardProcess implements AutoCloseable {
  /** The role that {@code initdb} makes; only this package and tests use it. */
  static final String SUPERUSER = "postgres";

  static final List<String> INITDB =
      List.of(
          "--username=" + SUPERUSER,
          "--encoding=UTF8",
          "--locale=C",
          "--no-sync",
          "--no-instructions");

  private static final Duration START_LIMIT = Duration.ofSeconds(60);
  private static final Duration STOP_LIMIT = Duration.ofSeconds(10);
  private static final long POLL_NANOS = Duration.ofMillis(5).toNanos();

  private final ShardId id;
  private final Path directory;
  private final PostgresBinaries binaries;
  private final Unprivileged unprivileged;
  private final ClusterSettings settings;
  private int port;

  /** Others know the port once the server has run: from then on it stays. */
  private boolean portIsKnown;

  private @Nullable Process process;

  private ShardProcess(
      ShardId id, Path directory, PostgresBinaries binaries, ClusterSettings settings) {
    this.id = id;
    this.directory = directory;
    this.binaries = binaries;
    this.settings = settings;
    this.unprivileged = settings.unprivileged().orElseGet(Unprivileged::choose);
    this.port = FreePort.pick();
  }

  /**
   * Makes a new server's data directory under {@code directory}, which must not exist; does not
   * start it.
   *
   * @param superuserPassword of the role {@code postgres}, asked for under SCRAM
   * @param template to copy, roles and database included; empty to have {@code initdb} make one
   */
  static ShardProcess create(
      ShardId id,
      Path directory,
      PostgresBinaries binaries,
      ClusterSettings settings,
      String superuserPassword,
      Optional<DataTemplate> template) {
    ShardProcess shard = new ShardProcess(id, directory, binaries, settings);
    if (!shard.unprivileged.reaches(directory.resolveSibling("."))) {
      throw ErrorCode.EMBEDDED_DIRECTORY_TAKEN
          .because("user nobody, as whom the servers run here, cannot enter " + directory)
          .withHint(
              "Let others enter each folder above it (chmod o+x), or name another with --dir.");
    }
    try {
      shard.initialise(superuserPassword, template);
    } catch (IOException e) {
      throw shard.failure("its data directory could not be made", e);
    }
    return shard;
  }

  /**
   * A streaming replica of a running shard, under the same name; does not start it.
   *
   * @param superuser a session on the primary
   * @param conninfo how the replica reaches the primary
   */
  static ShardProcess replicaOf(
      ShardProcess primary, Path directory, Connection superuser, String conninfo) {
    ShardProcess replica =
        new ShardProcess(primary.id, directory, primary.binaries, primary.settings);
    try {
      Files.createDirectories(directory);
      replica.unprivileged.giveAway(directory);
      String slot = directory.getFileName().toString().replace('-', '_');
      new BaseBackup(superuser, replica::run)
          .take(primary.data(), replica.data(), slot, conninfo, replica.unprivileged);
      return replica;
    } catch (IOException | SQLException e) {
      throw replica.failure("its base backup failed", new IOException(e));
    }
  }

  public ShardId id() {
    return id;
  }

  /**
   * The loopback port; the same for the server's whole life unless a first start found it taken.
   */
  public synchronized int port() {
    return port;
  }

  /** The server's log, standard error included. */
  public Path logFile() {
    return directory.resolve("server.log");
  }

  /** The directory of the server's unix socket. */
  public Path socketDirectory() {
    return directory;
  }

  /** The postmaster's pid. */
  public synchronized long pid() {
    if (process == null) {
      throw new IllegalStateException(id + " is not running");
    }
    return process.pid();
  }

  public synchronized boolean isRunning() {
    return process != null && process.isAlive();
  }

  /** Starts the server and returns when it accepts connections; nothing if it runs already. */
  public synchronized void start() {
    if (isRunning()) {
      return;
    }
    long deadline = System.nanoTime() + START_LIMIT.toNanos();
    while (true) {
      try {
        launch();
        if (awaitReady(deadline)) {
          portIsKnown = true;
          return;
        }
        // After a kill the old backends may still hold the shared memory or the port.
        if (System.nanoTime() - deadline > 0 || !maySucceedLater()) {
          throw failure("it does not start", new IOException(logTail()));
        }
        LockSupport.parkNanos(POLL_NANOS * 10);
      } catch (IOException e) {
        throw failure("it does not start", e);
      }
    }
  }

  /** Fast shutdown: sessions are ended, a checkpoint is written. */
  public synchronized void stop() {
    end("INT");
  }

  /** Immediate shutdown: as after a crash, but the server ends its own backends. */
  public synchronized void stopImmediately() {
    end("QUIT");
  }

  /**
   * While it is stopped: the next start ends as a restore does, with the same rows on the timeline
   * that follows.
   */
  public synchronized void restoreAtTheNextStart() {
    try {
      Files.writeString(
          data().resolve("postgresql.auto.conf"),
          "restore_command = 'false'\n",
          StandardOpenOption.APPEND);
      Files.createFile(data().resolve("recovery.signal"));
    } catch (IOException e) {
      throw failure("it cannot be restored", e);
    }
  }

  /** A crash: SIGKILL to the postmaster, then to each of its processes. */
  public synchronized void kill() {
    if (process == null) {
      return;
    }
    List<LinuxProcess> children = ClusterDirectory.children(process.pid());
    process.destroyForcibly();
    awaitExit(process, STOP_LIMIT);
    children.forEach(c -> c.signal("KILL"));
    children.forEach(c -> c.awaitEnd(STOP_LIMIT));
    process = null;
  }

  /** SIGSTOP to all of it: its connections stand, new ones are taken in, and nothing answers. */
  public synchronized void freeze() {
    signalAll("STOP");
  }

  /** It goes on where it was. */
  public synchronized void thaw() {
    signalAll("CONT");
  }

  /** The postmaster first when it is stopped: it has no more children then. */
  private void signalAll(String signal) {
    long pid = pid();
    LinuxProcess.find(pid).ifPresent(postmaster -> postmaster.signal(signal));
    ClusterDirectory.children(pid).forEach(child -> child.signal(signal));
  }

  /** Ends the server in the quickest way; its files stay. */
  @Override
  public void close() {
    stopImmediately();
  }

  private void initialise(String superuserPassword, Optional<DataTemplate> template)
      throws IOException {
    Files.createDirectories(directory);
    unprivileged.giveAway(directory);
    if (template.isPresent()) {
      template.get().copyTo(data());
    } else {
      initdb(superuserPassword);
    }
    Files.writeString(
        data().resolve("pg_hba.conf"), ServerFiles.hostAccess(settings.authentication()));
  }

  private void initdb(String superuserPassword) throws IOException {
    Path passwordFile = directory.resolve("superuser-password");
    Files.writeString(passwordFile, superuserPassword + "\n");
    unprivileged.giveAway(passwordFile);
    List<String> command =
        new ArrayList<>(
            List.of(
                binaries.program("initdb").toString(),
                "--pgdata=" + data(),
                "--pwfile=" + passwordFile,
                "--auth=" + settings.authentication().method()));
    command.addAll(INITDB);
    run(command);
    Files.delete(passwordFile);
  }

  private void launch() throws IOException {
    Files.writeString(
        data().resolve("postgresql.conf"),
        ServerFiles.configuration(port, socketDirectory(), settings.durable()));
    process = processOf(List.of(binaries.program("postgres").toString(), "-D", data().toString()));
  }

  private void run(List<String> command) throws IOException {
    Process child = processOf(command);
    if (!awaitExit(child, START_LIMIT) || child.exitValue() != 0) {
      child.destroyForcibly();
      throw new IOException(command.get(0) + " failed: " + logTail());
    }
  }

  private Process processOf(List<String> command) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(unprivileged.command(command))
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(logFile().toFile()));
    // What a user has set for libpq or the server must not reach the embedded one.
    builder.environment().keySet().removeIf(name -> name.startsWith("PG"));
    builder.environment().put("LC_ALL", "C");
    return builder.start();
  }

  /** True when the server accepts connections; false when it ended instead. */
  private boolean awaitReady(long deadline) throws IOException {
    Process started = java.util.Objects.requireNonNull(process);
    while (started.isAlive()) {
      if (isReady(started.pid())) {
        return true;
      }
      if (System.nanoTime() - deadline > 0) {
        kill();
        throw new IOException("not ready within " + START_LIMIT.toSeconds() + " s: " + logTail());
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
    process = null;
    return false;
  }

  /** The postmaster writes "ready" into the eighth line of its pid file. */
  private boolean isReady(long pid) throws IOException {
    List<String> lines;
    try {
      lines = Files.readAllLines(data().resolve("postmaster.pid"));
    } catch (NoSuchFileException e) {
      // Not yet, or no more: a new server takes away what a killed one has left.
      return false;
    }
    return lines.size() >= 8
        && lines.get(0).strip().equals(Long.toString(pid))
        && lines.get(7).strip().equals("ready");
  }

  private boolean maySucceedLater() throws IOException {
    String log = logTail();
    if (log.contains("Address already in use")) {
      if (!portIsKnown) {
        port = FreePort.pick();
      }
      return true;
    }
    return log.contains("pre-existing shared memory block") || log.contains("lock file");
  }

  private void end(String signal) {
    if (process == null) {
      return;
    }
    for (String each : List.of(signal, "QUIT", "KILL")) {
      LinuxProcess.find(process.pid()).ifPresent(p -> p.signal(each));
      if (awaitExit(process, STOP_LIMIT)) {
        break;
      }
    }
    process = null;
  }

  private static boolean awaitExit(Process child, Duration limit) {
    try {
      return child.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  Path data() {
    return directory.resolve("data");
  }

  private String logTail() throws IOException {
    String log = Files.readString(logFile(), StandardCharsets.UTF_8);
    return log.substring(Math.max(0, log.length() - 2_000)).strip();
  }

  private ConcordException failure(String what, IOException cause) {
    return ErrorCode.EMBEDDED_START_FAILED
        .because("embedded shard " + id + ": " + what + ": " + cause.getMessage())
        .withCause(cause);
  }
}
