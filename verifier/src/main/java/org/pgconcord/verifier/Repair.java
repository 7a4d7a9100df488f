package org.pgconcord.verifier;

import java.sql.SQLException;
import java.util.List;
import org.pgconcord.gsi.LookupIndex;
import org.pgconcord.gsi.SettlementRunner;
import org.pgconcord.verifier.report.OwnerRef;
import org.pgconcord.verifier.search.KeyState;

/** Puts wrong keys right, by the settlement alone. */
final class Repair {
  private final LookupIndex index;
  private final VerifierServices services;

  Repair(LookupIndex index, VerifierServices services) {
    this.index = index;
    this.services = services;
  }

  /** Settles each key for each of its owners; how many entries were changed. */
  long run(List<KeyState> wrong) throws SQLException {
    long changed = 0;
    try (SettlementRunner runner =
        new SettlementRunner(index, services.sessions(), services.options().lockTimeout())) {
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
