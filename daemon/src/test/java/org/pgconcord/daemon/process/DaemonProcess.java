package org.pgconcord.daemon.process;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.pgconcord.daemon.Main;
import org.pgconcord.daemon.cli.AdminClient;

/** One {@code pgconcord serve} in a child JVM; its log is appended to one file over restarts. */
public final class DaemonProcess implements AutoCloseable {
  private static final Duration READY = Duration.ofMinutes(3);

  /** One for all: each has threads of its own. */
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  private final Path log;
  private final int adminPort;
  private final Process process;

  /** What the log had before. */
  private final long logged;

  private DaemonProcess(Path log, int adminPort, Process process, long logged) {
    this.log = log;
    this.adminPort = adminPort;
    this.process = process;
    this.logged = logged;
  }

  /** Starts it and returns at once. */
  public static DaemonProcess launch(Path config, int adminPort, Path log, List<String> flags)
      throws IOException {
    return launch(DaemonClasses.find(), config, adminPort, log, flags);
  }

  static DaemonProcess launch(
      DaemonClasses classes, Path config, int adminPort, Path log, List<String> flags)
      throws IOException {
    List<String> command = new ArrayList<>(classes.java());
    command.addAll(List.of(Main.class.getName(), "serve", "--config", config.toString()));
    command.addAll(flags);
    long logged = Files.exists(log) ? Files.size(log) : 0;
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
            .start();
    return new DaemonProcess(log, adminPort, process, logged);
  }

  /**
   * Returns when {@code /readyz} and its own log say so: on a port that was free for a while
   * another test's daemon may answer. Fails with the log when the process ends first.
   */
  public DaemonProcess awaitReady() throws IOException {
    long begin = System.nanoTime();
    while (status("/readyz") != 200 || !saysReady()) {
      if (!process.isAlive() || System.nanoTime() - begin > READY.toNanos()) {
        throw new AssertionError("the daemon is not ready:\n" + logTail());
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
    }
    return this;
  }

  private boolean saysReady() throws IOException {
    byte[] all = Files.readAllBytes(log);
    int from = (int) Math.min(logged, all.length);
    return new String(all, from, all.length - from, StandardCharsets.UTF_8)
        .contains(" ready milliseconds=");
  }

  /** The status of a page; 0 when nobody answers. */
  public int status(String page) {
    try {
      return HTTP.send(page(page), HttpResponse.BodyHandlers.discarding()).statusCode();
    } catch (IOException e) {
      return 0;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return 0;
    }
  }

  public String text(String page) throws IOException {
    try {
      return HTTP.send(page(page), HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8))
          .body();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }

  private HttpRequest page(String page) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + adminPort + page)).build();
  }

  public AdminClient client() {
    return new AdminClient(
        InetSocketAddress.createUnresolved("127.0.0.1", adminPort), Duration.ofMinutes(5));
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  public String log() throws IOException {
    return Files.readString(log);
  }

  /** For messages: what is not in it may still have been logged. */
  public String logTail() throws IOException {
    String all = log();
    return all.substring(Math.max(0, all.length() - 12_000));
  }

  /** Sends a signal, such as STOP or CONT. */
  public void signal(String name) throws IOException, InterruptedException {
    new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor();
  }

  /** SIGKILL; returns when the process is gone. */
  public void kill() throws InterruptedException {
    process.destroyForcibly();
    process.waitFor();
  }

  /** SIGTERM; the time until the process had ended. */
  public Duration terminate(Duration limit) throws InterruptedException, IOException {
    long begin = System.nanoTime();
    process.destroy();
    if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
      throw new AssertionError("the daemon did not end within " + limit + ":\n" + logTail());
    }
    return Duration.ofNanos(System.nanoTime() - begin);
  }

  /** Waits for an end that comes by itself and returns the exit status. */
  public int awaitExit(Duration limit) throws InterruptedException, IOException {
    if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
      throw new AssertionError("the daemon is still there after " + limit + ":\n" + logTail());
    }
    return process.exitValue();
  }

  /** Returns when the process is gone. */
  @Override
  public void close() {
    process.destroyForcibly().onExit().join();
  }
}
