package org.pgconcord.backfill;

import java.util.HashSet;
import java.util.Set;
import org.pgconcord.config.value.GsiName;

/** Remembers findings; repetitions do not count. */
final class RecordedFindings implements BuildFindings {
  private final Set<NullViolation> violations = new HashSet<>();
  private final Set<DuplicateKey> duplicates = new HashSet<>();

  @Override
  public synchronized void nullViolation(GsiName gsi, NullViolation violation) {
    violations.add(violation);
  }

  @Override
  public synchronized void duplicate(GsiName gsi, DuplicateKey duplicate) {
    duplicates.add(duplicate);
  }

  Set<NullViolation> violations() {
    return violations;
  }

  Set<DuplicateKey> duplicates() {
    return duplicates;
  }
}
