package org.pgconcord.verifier.search;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.pgconcord.verifier.report.Difference;
import org.pgconcord.verifier.report.OwnerRef;

/**
 * What one key has: its owner rows and its entry.
 *
 * @param owners the owner rows with the key, where they are
 * @param entry the shard key that the entry names, or null without entry
 */
public record KeyState(String key, List<OwnerRef> owners, @Nullable String entry) {
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
    return owners.get(0).shardKey().equals(entry)
        ? Optional.empty()
        : Optional.of(Difference.WRONG_OWNER);
  }

  KeyState withOwner(OwnerRef owner) {
    List<OwnerRef> more = new ArrayList<>(owners);
    more.add(owner);
    return new KeyState(key, more, entry);
  }

  KeyState withoutOwner(String shardKey) {
    List<OwnerRef> fewer = new ArrayList<>(owners);
    for (int i = 0; i < fewer.size(); i++) {
      if (fewer.get(i).shardKey().equals(shardKey)) {
        fewer.remove(i);
        break;
      }
    }
    return new KeyState(key, fewer, entry);
  }

  KeyState withEntry(String shardKey) {
    return new KeyState(key, owners, shardKey);
  }
}
