package org.pgconcord.verifier.search;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.value.Tuple;
import org.pgconcord.verifier.report.Difference;
import org.pgconcord.verifier.report.OwnerRef;

/**
 * What one identity has: its owner rows and its entry.
 *
 * @param owners the owner rows of the identity, where they are
 * @param entry the entry's holder, or null without entry
 */
public record KeyState(Tuple identity, List<OwnerRef> owners, @Nullable Tuple entry) {
  public KeyState {
    owners = List.copyOf(owners);
  }

  /** What is wrong with it, if anything. */
  public Optional<Difference> difference() {
    if (owners.size() > 1) {
      return Optional.of(Difference.DUPLICATE);
    }
    if (owners.isEmpty()) {
      return entry == null ? Optional.empty() : Optional.of(Difference.SURPLUS);
    }
    if (entry == null) {
      return Optional.of(Difference.MISSING);
    }
    return owners.get(0).holder().equals(entry)
        ? Optional.empty()
        : Optional.of(Difference.WRONG_OWNER);
  }

  KeyState withOwner(OwnerRef owner) {
    List<OwnerRef> more = new ArrayList<>(owners);
    more.add(owner);
    return new KeyState(identity, more, entry);
  }

  KeyState withoutOwner(Tuple holder) {
    List<OwnerRef> fewer = new ArrayList<>(owners);
    for (int i = 0; i < fewer.size(); i++) {
      if (fewer.get(i).holder().equals(holder)) {
        fewer.remove(i);
        break;
      }
    }
    return new KeyState(identity, fewer, entry);
  }

  KeyState withEntry(Tuple holder) {
    return new KeyState(identity, owners, holder);
  }
}
