package org.pgconcord.router.session;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.router.backend.BackendConnection;
import org.pgconcord.router.backend.BackendListener;
import org.pgconcord.router.backend.BackendRequest;
import org.pgconcord.router.backend.QueryResult;
import org.pgconcord.router.backend.SessionBackends;
import org.pgconcord.router.backend.SettingsRecorder;
import org.pgconcord.router.wire.Frame;
import org.pgconcord.router.wire.TransactionStatus;

/**
 * Runs a client's settings commands: the home backend judges, the recorder remembers, and what
 * matters for planning is read back from the server rather than guessed from the text.
 */
final class TrackedSettings implements SessionSettings {
  /**
   * Asks the home backend. What is shown of {@code pgconcord.functions} is set where nothing else
   * has: a default of the connection's would hide what {@code ALTER ROLE ... SET} says.
   */
  private static final String ASK =
      "SELECT pg_catalog.current_setting('search_path'), CURRENT_USER::pg_catalog.text,"
          + " pg_catalog.current_setting('default_transaction_isolation'),"
          + " pg_catalog.current_setting('pgconcord.tx_mode', true),"
          + " pg_catalog.current_setting('lock_timeout'),"
          + " pg_catalog.current_setting('statement_timeout'),"
          + " pg_catalog.current_setting('pgconcord.stale_copies', true),"
          + " pg_catalog.current_setting('pgconcord.covering', true),"
          + " COALESCE(NULLIF(pg_catalog.current_setting('pgconcord.functions', true), ''),"
          + " pg_catalog.set_config('pgconcord.functions', 'checked', false)),"
          + " pg_catalog.current_setting('pgconcord.fanout', true),"
          + " pg_catalog.current_setting('pgconcord.shard', true),"
          + " pg_catalog.current_setting('pgconcord.target', true),"
          + " pg_catalog.current_setting('pgconcord.max_replica_lag', true)";

  private static final Set<String> FIXED = Set.of("repeatable read", "serializable");

  private final SettingsRecorder recorder;
  private final SessionBackends backends;
  private final Runnable discarded;
  private EffectiveSettings effective =
      new EffectiveSettings(EffectiveSettings.Values.of(Map.of()));
  private long version;

  /** {@code discarded} is told when DISCARD ALL has run. */
  TrackedSettings(SettingsRecorder recorder, SessionBackends backends, Runnable discarded) {
    this.recorder = recorder;
    this.backends = backends;
    this.discarded = discarded;
  }

  /** Asks the home backend, just opened, what is in force. */
  CompletableFuture<?> start(BackendConnection home) {
    return home.query(ASK, List.of())
        .thenAccept(answer -> effective = new EffectiveSettings(values(answer)));
  }

  private static EffectiveSettings.Values values(QueryResult answer) {
    List<@Nullable String> row = answer.rows().get(0);
    Map<String, String> words = new HashMap<>();
    for (int i = 0; i < EffectiveSettings.NAMES.size(); i++) {
      String word = row.get(i);
      words.put(EffectiveSettings.NAMES.get(i), word == null ? "" : word);
    }
    return EffectiveSettings.Values.of(words);
  }

  @Override
  public void run(BackendConnection home, SettingCommand command, String sql, ResultSink sink) {
    Optional<ConcordException> refused = refusal(command);
    if (refused.isPresent()) {
      sink.error(refused.get());
      sink.done();
      return;
    }
    home.send(new BackendRequest.Query(sql), new CommandListener(home, command, sql, sink));
  }

  @Override
  public void refuse(SettingCommand command) {
    refusal(command)
        .ifPresent(
            refused -> {
              throw refused;
            });
  }

  @Override
  public CompletableFuture<?> accepted(
      BackendConnection home, List<SettingCall> calls, boolean inside) {
    try {
      calls.forEach(call -> record(call.command(), call.repeat()));
    } catch (ConcordException tooMany) {
      home.close();
      return CompletableFuture.failedFuture(tooMany);
    }
    List<SettingCommand> followed =
        calls.stream()
            .map(SettingCall::command)
            .filter(c -> EffectiveSettings.follows(c.name()))
            .toList();
    if (followed.isEmpty()) {
      return CompletableFuture.completedFuture(null);
    }
    return home.query(ASK, List.of())
        .thenAccept(answer -> followed.forEach(c -> changed(c, values(answer), inside)));
  }

  private void changed(SettingCommand command, EffectiveSettings.Values values, boolean inside) {
    boolean local = command.kind() == SettingCommand.Kind.SET_LOCAL;
    effective.changed(command.name(), values, local && inside, inside);
  }

  private static Optional<ConcordException> refusal(SettingCommand command) {
    return switch (command.kind()) {
      case SET, SET_LOCAL -> SettingRules.refuse(command.name(), command.value());
      case RESET -> SettingRules.unknown(command.name());
      case RESET_ALL, DISCARD_ALL -> Optional.empty();
    };
  }

  private final class CommandListener implements BackendListener {
    private final BackendConnection home;
    private final SettingCommand command;
    private final String sql;
    private final ResultSink sink;
    private boolean failed;

    CommandListener(BackendConnection home, SettingCommand command, String sql, ResultSink sink) {
      this.home = home;
      this.command = command;
      this.sql = sql;
      this.sink = sink;
    }

    @Override
    public void complete(Frame frame) {
      sink.complete(frame);
    }

    @Override
    public void notice(Frame frame) {
      sink.notice(frame);
    }

    @Override
    public void error(Frame frame) {
      failed = true;
      sink.error(frame);
    }

    @Override
    public void ready(TransactionStatus status) {
      if (failed) {
        sink.done();
        return;
      }
      try {
        record(command, sql);
      } catch (ConcordException tooMany) {
        sink.error(tooMany);
        home.close();
        sink.done();
        return;
      }
      refresh(status);
    }

    private void refresh(TransactionStatus status) {
      if (!EffectiveSettings.follows(command.name())) {
        sink.done();
        return;
      }
      boolean inside = status == TransactionStatus.OPEN;
      var unused =
          home.query(ASK, List.of())
              .whenComplete(
                  (answer, failure) -> {
                    if (answer != null) {
                      changed(command, values(answer), inside);
                    } else {
                      home.close();
                    }
                    sink.done();
                  });
    }

    @Override
    public void lost(ConcordException cause) {
      sink.error(cause);
      sink.done();
    }
  }

  private void record(SettingCommand command, String sql) {
    SettingsRecorder.Cursor cursor = backends.homeCursor();
    switch (command.kind()) {
      case SET, RESET -> recorder.set(cursor, command.name(), sql, false);
      case SET_LOCAL -> recorder.set(cursor, command.name(), sql, true);
      case RESET_ALL -> recorder.resetAll(cursor, sql);
      case DISCARD_ALL -> {
        recorder.resetAll(cursor, sql);
        backends.discardedAtHome();
        discarded.run();
      }
    }
    version++;
  }

  @Override
  public void refuse(String name) {
    SettingRules.unknown(name)
        .ifPresent(
            unknown -> {
              throw unknown;
            });
  }

  @Override
  public void committed() {
    recorder.committed();
    effective.committed();
  }

  @Override
  public void rolledBack() {
    recorder.rolledBack();
    effective.rolledBack();
    version++;
  }

  @Override
  public void savepoint(String name) {
    effective.savepoint(name);
  }

  @Override
  public void released(String name) {
    effective.released(name);
  }

  @Override
  public void rolledBackTo(String name) {
    effective.rolledBackTo(name);
    version++;
  }

  @Override
  public CommitMode commitMode() {
    return effective.now().commitMode();
  }

  @Override
  public Duration lockTimeout() {
    return effective.now().lockTimeout();
  }

  @Override
  public Duration statementTimeout() {
    return effective.now().statementTimeout();
  }

  @Override
  public List<String> searchPath() {
    return effective.now().searchPath();
  }

  @Override
  public String currentUser() {
    return effective.now().word(EffectiveSettings.ROLE);
  }

  @Override
  public boolean fixedSnapshot() {
    return FIXED.contains(effective.now().word(EffectiveSettings.ISOLATION));
  }

  @Override
  public boolean readsStaleCopies() {
    return effective.now().word(EffectiveSettings.STALE_COPIES).equals(SettingRules.STALE_ALLOW);
  }

  @Override
  public boolean readsCovering() {
    return !effective.now().word(EffectiveSettings.COVERING).equals("off");
  }

  @Override
  public boolean trustsFunctions() {
    return effective.now().word(EffectiveSettings.FUNCTIONS).equals(SettingRules.FUNCTIONS_LOCAL);
  }

  @Override
  public FanOut fanOut() {
    return FanOut.of(effective.now().word(FanOut.SETTING)).orElse(FanOut.SCATTER);
  }

  @Override
  public String shard() {
    return effective.now().word(SettingRules.SHARD);
  }

  @Override
  public ReadTarget target() {
    return ReadTarget.of(effective.now().word(ReadTarget.SETTING)).orElse(ReadTarget.PRIMARY);
  }

  @Override
  public Duration maxReplicaLag() {
    return ReplicaLag.of(effective.now().word(ReplicaLag.SETTING)).orElse(ReplicaLag.DEFAULT);
  }

  @Override
  public long version() {
    return version;
  }
}
