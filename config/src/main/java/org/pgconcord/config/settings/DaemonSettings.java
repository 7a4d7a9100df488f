package org.pgconcord.config.settings;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.pgconcord.config.value.ShardId;

/**
 * All of a daemon's configuration, paths absolute. docs/formats.md describes the file.
 *
 * @param topology the document applied when the catalog has none
 * @param stateDir the sync engine's own storage
 * @param catalogDatabase the logical database whose copy on the authoritative shard holds the
 *     catalog
 */
public record DaemonSettings(
    Optional<Path> topology,
    Router router,
    Admin admin,
    Path stateDir,
    String catalogDatabase,
    ServiceRole serviceRole,
    SortedMap<ShardId, ShardSettings> shards) {
  public DaemonSettings {
    shards = Collections.unmodifiableSortedMap(new TreeMap<>(shards));
  }

  /** How clients prove who they are. */
  public enum Auth {
    /** Not at all; for loopback listeners only. */
    TRUST,
    /** SCRAM-SHA-256. */
    SCRAM
  }

  /**
   * The router's listener.
   *
   * @param usersFile verifiers, for when the authoritative shard's cannot be read
   * @param answerTimeout how long a shard may leave COMMIT, ROLLBACK or a cancel without an answer
   * @param failoverWait how long a statement waits for a shard that has no primary
   */
  public record Router(
      ShardAddress listen,
      Auth auth,
      Optional<Path> usersFile,
      Duration answerTimeout,
      Duration failoverWait) {
    /** Longer than a promotion takes once it is decided, shorter than clients wait. */
    public static final Duration FAILOVER_WAIT = Duration.ofSeconds(10);

    /** Longer than a server's stalls on its storage, shorter than clients wait. */
    public static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(30);
  }

  /** The admin HTTP listener. */
  public record Admin(ShardAddress listen) {}

  /**
   * The role that all of pgConcord's own statements run as.
   *
   * @param passwordFile a file whose first line is the password
   */
  public record ServiceRole(String user, Optional<Path> passwordFile) {}
}
