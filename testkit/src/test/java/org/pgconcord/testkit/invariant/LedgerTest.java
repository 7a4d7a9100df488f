package org.pgconcord.testkit.invariant;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;
import org.pgconcord.testkit.invariant.Ledger.Told;

class LedgerTest {
  @Test
  void whatWasToldIsHeldAgainstWhatIsThere() {
    Ledger ledger = new Ledger();
    ledger.record("done", Told.DONE);
    ledger.record("lost", Told.DONE);
    ledger.record("refused", Told.NOT_DONE);
    ledger.record("ghost", Told.NOT_DONE);
    ledger.record("unknown, there", Told.UNKNOWN);
    ledger.record("unknown, not there", Told.UNKNOWN);

    assertThat(ledger.violations(Set.of("done", "ghost", "unknown, there")::contains))
        .extracting(v -> v.invariant() + " " + v.key())
        .containsExactly("I7 ghost", "I6 lost");
    assertThat(ledger.count(Told.UNKNOWN)).isEqualTo(2);
  }
}
