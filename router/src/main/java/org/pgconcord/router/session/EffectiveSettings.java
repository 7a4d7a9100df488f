package org.pgconcord.router.session;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.pgconcord.router.sql.SearchPath;

/**
 * The settings that decide what a statement means here or how long it may take, followed through
 * transactions and savepoints: {@code now} is in force; {@code kept} will be after COMMIT; {@code
 * before} after ROLLBACK. Values are the server's own words, asked after each change.
 */
final class EffectiveSettings {
  static final String SEARCH_PATH = "search_path";
  static final String ROLE = "role";
  static final String ISOLATION = "default_transaction_isolation";
  static final String LOCK_TIMEOUT = "lock_timeout";
  static final String STATEMENT_TIMEOUT = "statement_timeout";
  static final String STALE_COPIES = SettingRules.STALE_COPIES;
  static final String COVERING = SettingRules.COVERING;
  static final String FUNCTIONS = SettingRules.FUNCTIONS;

  /** What the server is asked for, in this order. */
  static final List<String> NAMES =
      List.of(
          SEARCH_PATH,
          ROLE,
          ISOLATION,
          CommitMode.SETTING,
          LOCK_TIMEOUT,
          STATEMENT_TIMEOUT,
          STALE_COPIES,
          COVERING,
          FUNCTIONS,
          FanOut.SETTING,
          SettingRules.SHARD,
          ReadTarget.SETTING,
          ReplicaLag.SETTING);

  /** Commands that change a setting under another name than its own. */
  private static final Map<String, String> ALIASES =
      Map.of("session characteristics", ISOLATION, "session_authorization", ROLE);

  /** Their values, by name, and what they mean. */
  record Values(
      Map<String, String> words,
      List<String> searchPath,
      CommitMode commitMode,
      Duration lockTimeout,
      Duration statementTimeout) {

    static Values of(Map<String, String> words) {
      return new Values(
          Map.copyOf(words),
          SearchPath.parse(words.getOrDefault(SEARCH_PATH, "")),
          CommitMode.of(words.getOrDefault(CommitMode.SETTING, "")).orElse(CommitMode.MULTI),
          TimeSetting.parse(words.getOrDefault(LOCK_TIMEOUT, "0")),
          TimeSetting.parse(words.getOrDefault(STATEMENT_TIMEOUT, "0")));
    }

    String word(String name) {
      return words.getOrDefault(name, "");
    }

    private Values with(String name, String word) {
      Map<String, String> changed = new HashMap<>(words);
      changed.put(name, word);
      return of(changed);
    }
  }

  private record State(Values now, Values kept, Optional<Values> before) {}

  private final Map<String, State> savepoints = new HashMap<>();
  private Values now;
  private Values kept;
  private Optional<Values> before = Optional.empty();

  EffectiveSettings(Values initial) {
    now = initial;
    kept = initial;
  }

  /** Whether a change of {@code name} (empty: of everything) can change one of them. */
  static boolean follows(String name) {
    return name.isEmpty() || NAMES.contains(name) || ALIASES.containsKey(name);
  }

  Values now() {
    return now;
  }

  /** The server says {@code values} after a change of {@code name} (empty: of everything). */
  void changed(String name, Values values, boolean local, boolean inTransaction) {
    if (inTransaction && before.isEmpty()) {
      before = Optional.of(kept);
    }
    now = values;
    if (!local) {
      String own = ALIASES.getOrDefault(name, name);
      kept = name.isEmpty() ? values : kept.with(own, values.word(own));
    }
  }

  void savepoint(String name) {
    savepoints.put(name, new State(now, kept, before));
  }

  void released(String name) {
    savepoints.remove(name);
  }

  void rolledBackTo(String name) {
    State state = savepoints.get(name);
    if (state != null) {
      now = state.now();
      kept = state.kept();
      before = state.before();
    }
  }

  void committed() {
    now = kept;
    ended();
  }

  void rolledBack() {
    now = before.orElse(kept);
    kept = now;
    ended();
  }

  private void ended() {
    before = Optional.empty();
    savepoints.clear();
  }
}
