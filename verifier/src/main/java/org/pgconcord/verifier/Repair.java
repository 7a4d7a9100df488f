package org.pgconcord.verifier;

import java.sql.SQLException;
import java.util.List;
import org.pgconcord.gsi.LookupIndex;
import org.pgconcord.gsi.SettlementRunner;
import org.pgconcord.verifier.report.OwnerRef;
import org.pgconcord.verifier.search.KeyState;
import org.pgconcord.verifier.search.Strays;

/** Puts wrong keys right, by the settlement alone. */
final class Repair {
  private final LookupIndex index;
  private final VerifierServices services;

  Repair(LookupIndex index, VerifierServices services) {
    this.index = index;
    this.services = services;
  }

  /** Removes entries where nobody looks for them; how many there still were. */
  long remove(Strays strays) throws SQLException {
    long removed = 0;
    try (SettlementRunner runner = runner()) {
      for (Strays.Stray stray : strays.found()) {
        removed += runner.removeStray(stray.shard(), stray.entry()) ? 1 : 0;
      }
    }
    return removed;
  }

  private SettlementRunner runner() {
    return new SettlementRunner(index, services.sessions(), services.options().lockTimeout());
  }

  /** Settles each key for each of its owners; how many entries were changed. */
  long run(List<KeyState> wrong) throws SQLException {
    long changed = 0;
    try (SettlementRunner runner = runner()) {
      for (KeyState state : wrong) {
        if (state.owners().isEmpty()) {
          changed += runner.settle(state.identity(), null).changed() ? 1 : 0;
        }
        for (OwnerRef owner : state.owners()) {
          changed += runner.settle(state.identity(), owner.holder()).changed() ? 1 : 0;
        }
      }
    }
    return changed;
  }
}
