package org.pgconcord.router.session;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The settings that decide what a statement means here, search path, role and the isolation of
 * transactions that name none, followed through transactions: {@code now} is in force; {@code kept}
 * will be after COMMIT; {@code before} after ROLLBACK. Values are the server's own words, asked
 * after each change.
 */
final class EffectiveSettings {
  /**
   * Their values.
   *
   * @param isolation default_transaction_isolation
   * @param staleCopies pgconcord.stale_copies; empty where nobody set it
   */
  record Values(List<String> searchPath, String role, String isolation, String staleCopies) {}

  /**
   * The names under which the isolation is set; the second is that of SET SESSION CHARACTERISTICS.
   */
  static final Set<String> ISOLATION =
      Set.of("default_transaction_isolation", "session characteristics");

  private Values now;
  private Values kept;
  private Optional<Values> before = Optional.empty();

  EffectiveSettings(Values initial) {
    now = initial;
    kept = initial;
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
      boolean all = name.isEmpty();
      boolean path = all || name.equals("search_path");
      boolean isolation = all || ISOLATION.contains(name);
      boolean stale = all || name.equals(SettingRules.STALE_COPIES);
      boolean role = all || !(path || isolation || stale);
      kept =
          new Values(
              path ? values.searchPath() : kept.searchPath(),
              role ? values.role() : kept.role(),
              isolation ? values.isolation() : kept.isolation(),
              stale ? values.staleCopies() : kept.staleCopies());
    }
  }

  void committed() {
    now = kept;
    before = Optional.empty();
  }

  void rolledBack() {
    now = before.orElse(kept);
    kept = now;
    before = Optional.empty();
  }
}
