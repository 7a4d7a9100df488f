package org.pgconcord.router.session;

import java.util.List;
import java.util.Optional;

/**
 * The two settings that decide what a statement means here, search path and role, followed through
 * transactions: {@code now} is in force; {@code kept} will be after COMMIT; {@code before} after
 * ROLLBACK. Values are the server's own words, asked after each change.
 */
final class EffectiveSettings {
  /** A pair of values. */
  record Values(List<String> searchPath, String role) {}

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
      boolean path = name.isEmpty() || name.equals("search_path");
      boolean role = !name.equals("search_path");
      kept =
          new Values(
              path ? values.searchPath() : kept.searchPath(), role ? values.role() : kept.role());
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
