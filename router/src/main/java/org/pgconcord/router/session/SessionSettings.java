package org.pgconcord.router.session;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.pgconcord.router.backend.BackendConnection;

/**
 * The settings of a session, with PostgreSQL's transactional rules, kept equal on all of its client
 * backends. The runner brings the commands and the ends of transactions; {@code Backends} repeats
 * on each backend what it has missed.
 */
public interface SessionSettings {

  /**
   * Runs the command's own text on the home backend (which the runner has acquired or enlisted) and
   * records it when the server accepts it. Settings that the router cannot follow (client_encoding
   * other than UTF8, standard_conforming_strings off, unknown {@code pgconcord.*}) are refused.
   * Ends through the sink.
   */
  void run(BackendConnection home, SettingCommand command, String sql, ResultSink sink);

  /** Throws for a command that {@link #run} would refuse. */
  void refuse(SettingCommand command);

  /**
   * The home backend has run a statement that calls {@code set_config} so. Done when what matters
   * for planning has been read back.
   *
   * @param inside within a transaction
   */
  CompletableFuture<?> accepted(BackendConnection home, List<SettingCall> calls, boolean inside);

  /**
   * Throws for a name in the router's namespace that is none of its settings; the server would know
   * nothing of it, or of anything that a client once set there.
   */
  void refuse(String name);

  /** The session's transaction has committed on its backends. */
  void committed();

  /** It was rolled back: what it had set is undone. */
  void rolledBack();

  /** The session's transaction has a savepoint, which has a name of its own. */
  void savepoint(String name);

  /** It went back to the savepoint: what was set since is undone. */
  void rolledBackTo(String name);

  /** The savepoint is no more. */
  void released(String name);

  /** {@code pgconcord.tx_mode}. */
  CommitMode commitMode();

  /** The client's {@code lock_timeout}; zero for none. */
  Duration lockTimeout();

  /** The client's {@code statement_timeout}; zero for none. */
  Duration statementTimeout();

  /**
   * The effective search path, its names in order, {@code "$user"} and pg_catalog included as set.
   */
  List<String> searchPath();

  /** The effective role (SET ROLE). */
  String currentUser();

  /** A transaction that names no isolation level reads all its statements from one snapshot. */
  boolean fixedSnapshot();

  /** Marked copies of reference tables are read like others: {@code pgconcord.stale_copies}. */
  boolean readsStaleCopies();

  /** {@code pgconcord.fanout}. */
  FanOut fanOut();

  /** The shard that reads are pinned to, {@code pgconcord.shard}; empty for none. */
  String shard();

  /** {@code pgconcord.target}. */
  ReadTarget target();

  /** {@code pgconcord.max_replica_lag}. */
  Duration maxReplicaLag();

  /** Covering indexes answer by themselves where they can: {@code pgconcord.covering}. */
  boolean readsCovering();

  /** Functions of users are taken to keep to the statement's shard: {@code pgconcord.functions}. */
  boolean trustsFunctions();

  /** Changes whenever {@link #searchPath}, {@link #currentUser} or another setting changes. */
  long version();
}
