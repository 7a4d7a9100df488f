package org.pgconcord.router;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.settings.DaemonSettings;

/**
 * How the router meets its clients.
 *
 * @param listen where it listens; port 0 takes a free one
 * @param usersFile verifiers of clients under scram, for when the authoritative shard's are not
 *     readable
 * @param messageBytesMax the longest message taken from a client
 * @param shardMessageBytesMax the longest message (so, row) taken from a shard
 * @param answerTimeout how long a shard may leave COMMIT, ROLLBACK or a cancel without an answer
 * @param failoverWait how long a statement waits for a shard that has no primary
 * @param drain how long open transactions may go on when the router stops
 */
public record RouterSettings(
    InetSocketAddress listen,
    Auth auth,
    Optional<Path> usersFile,
    int connectionsMax,
    int messageBytesMax,
    int shardMessageBytesMax,
    Duration loginTimeout,
    Duration connectTimeout,
    Duration answerTimeout,
    Duration failoverWait,
    Duration drain,
    int eventLoops) {

  /** How clients prove who they are. */
  public enum Auth {
    TRUST,
    SCRAM
  }

  public RouterSettings {
    if (auth == Auth.TRUST && !loopback(listen)) {
      throw ErrorCode.CONFIG_INVALID
          .because("router.auth is trust, but router.listen " + listen + " is not on loopback.")
          .withHint("Set router.auth to scram, or listen on 127.0.0.1.");
    }
    if (usersFile.isPresent() && auth == Auth.TRUST) {
      throw ErrorCode.CONFIG_INVALID.because("router.users_file has no meaning under trust.");
    }
  }

  private static boolean loopback(InetSocketAddress listen) {
    return listen.getAddress() != null && listen.getAddress().isLoopbackAddress();
  }

  /**
   * The defaults: 1,000 clients, messages of 64 MiB, 60 s to log in, 5 s to connect, 30 s to
   * answer, no wait for primaries, 3 s to drain.
   */
  public static RouterSettings of(InetSocketAddress listen, Auth auth) {
    return new RouterSettings(
        listen,
        auth,
        Optional.empty(),
        1_000,
        64 << 20,
        256 << 20,
        Duration.ofSeconds(60),
        Duration.ofSeconds(5),
        DaemonSettings.Router.ANSWER_TIMEOUT,
        Duration.ZERO,
        Duration.ofSeconds(3),
        Math.max(1, Runtime.getRuntime().availableProcessors()));
  }

  public RouterSettings withUsersFile(Optional<Path> file) {
    return new RouterSettings(
        listen,
        auth,
        file,
        connectionsMax,
        messageBytesMax,
        shardMessageBytesMax,
        loginTimeout,
        connectTimeout,
        answerTimeout,
        failoverWait,
        drain,
        eventLoops);
  }

  public RouterSettings withConnectionsMax(int max) {
    return new RouterSettings(
        listen,
        auth,
        usersFile,
        max,
        messageBytesMax,
        shardMessageBytesMax,
        loginTimeout,
        connectTimeout,
        answerTimeout,
        failoverWait,
        drain,
        eventLoops);
  }

  public RouterSettings withAnswerTimeout(Duration timeout) {
    return new RouterSettings(
        listen,
        auth,
        usersFile,
        connectionsMax,
        messageBytesMax,
        shardMessageBytesMax,
        loginTimeout,
        connectTimeout,
        timeout,
        failoverWait,
        drain,
        eventLoops);
  }

  public RouterSettings withConnectTimeout(Duration timeout) {
    return new RouterSettings(
        listen,
        auth,
        usersFile,
        connectionsMax,
        messageBytesMax,
        shardMessageBytesMax,
        loginTimeout,
        timeout,
        answerTimeout,
        failoverWait,
        drain,
        eventLoops);
  }

  public RouterSettings withFailoverWait(Duration wait) {
    return new RouterSettings(
        listen,
        auth,
        usersFile,
        connectionsMax,
        messageBytesMax,
        shardMessageBytesMax,
        loginTimeout,
        connectTimeout,
        answerTimeout,
        wait,
        drain,
        eventLoops);
  }
}
