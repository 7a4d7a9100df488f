package org.pgconcord.router.entries;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.Tuple;
import org.pgconcord.gsi.Entry;
import org.pgconcord.gsi.LookupIndex;

/**
 * What one transaction has done to the entry of each identity (the key, of a unique index), before
 * any of it is committed. Pure: it decides, {@link EntryTransaction} acts.
 *
 * <h2>What it knows of a key</h2>
 *
 * <ul>
 *   <li><i>base</i>: the holder of a committed entry whose owner row this transaction deleted. The
 *       entry itself is untouched until COMMIT, where its removal runs in POST.
 *   <li><i>current</i>: the holder of a row that this transaction wrote, whose entry it holds, and
 *       how: added, kept or taken in PRE, or written in MAIN.
 * </ul>
 *
 * At COMMIT a key with a current row needs its key lock if PRE holds the entry, and nothing is
 * removed; a key with a base and no current row has its entry removed in POST. So delete and insert
 * of one key with one shard key cancel by themselves: the insert finds the entry in PRE and only
 * locks it.
 *
 * <h2>What would block itself, or has no safe order</h2>
 *
 * PRE, MAIN and POST are three transactions that wait for each other's locks, and no server sees
 * that they are one session. Two cases are therefore found here, before anything is sent. A key
 * whose current row goes again is undone where it was written: PRE's own insert or takeover is
 * deleted in PRE, MAIN's in MAIN; an entry that PRE only keeps is removed in POST, which runs after
 * PRE has committed. And a key that this transaction deleted under one holder cannot be written
 * under another: before MAIN commits the entry would name a row that is not there, after it a row
 * that is gone, and a crash would keep it so. Only two-phase commit orders that; it is refused.
 */
final class EntryOverlay {
  /** How a current row's entry is held. */
  enum Hold {
    PRE_ADDED,
    PRE_KEPT,
    PRE_TAKEN,
    MAIN
  }

  /** What to do about a row that was written. */
  enum Adding {
    CLAIM,
    /** Another row of this transaction has the key. */
    DUPLICATE,
    /** The key moves to another holder within the transaction. */
    MOVES
  }

  /** What to do about a row that was deleted. */
  enum Removing {
    /** Nothing now: the entry is removed in POST at COMMIT. */
    AT_COMMIT,
    DELETE_IN_PRE,
    UNDO_IN_MAIN
  }

  /** What a read within the transaction has to know of a key. */
  enum Seen {
    UNTOUCHED,
    HELD,
    REMOVED
  }

  /** An entry of an index, as it will be at COMMIT. */
  record Touched(LookupIndex index, Entry entry, boolean preHolds) {}

  private record Slot(GsiName gsi, String canonical) {}

  private static final class KeyState {
    private final LookupIndex index;
    private final Tuple identity;
    private @Nullable Tuple base;
    private @Nullable Tuple current;
    private @Nullable Hold hold;
    private boolean lockedByPre;

    KeyState(LookupIndex index, Tuple identity) {
      this.index = index;
      this.identity = identity;
    }
  }

  private final Map<Slot, KeyState> keys = new LinkedHashMap<>();

  Adding adding(LookupIndex index, Entry entry) {
    KeyState state = keys.get(slot(index, entry.identity()));
    if (state == null) {
      return Adding.CLAIM;
    }
    if (state.current != null) {
      return Adding.DUPLICATE;
    }
    return state.base == null || state.base.equals(entry.holder()) ? Adding.CLAIM : Adding.MOVES;
  }

  void added(LookupIndex index, Entry entry, Hold hold) {
    KeyState state = state(index, entry.identity());
    state.current = entry.holder();
    state.hold = hold;
    state.lockedByPre |= hold != Hold.MAIN;
    if (hold == Hold.PRE_ADDED) {
      state.base = null;
    }
  }

  Removing removing(LookupIndex index, Entry entry) {
    KeyState state = keys.get(slot(index, entry.identity()));
    if (state == null || state.current == null || state.hold == Hold.PRE_KEPT) {
      return Removing.AT_COMMIT;
    }
    return state.hold == Hold.MAIN ? Removing.UNDO_IN_MAIN : Removing.DELETE_IN_PRE;
  }

  /** The row is gone; {@code entryGone} says whether its entry is already undone. */
  void removed(LookupIndex index, Entry entry, boolean entryGone) {
    KeyState state = state(index, entry.identity());
    state.current = null;
    state.hold = null;
    state.base = entryGone ? null : entry.holder();
  }

  Seen seen(LookupIndex index, Tuple identity) {
    KeyState state = keys.get(slot(index, identity));
    if (state == null || (state.current == null && state.base == null)) {
      return Seen.UNTOUCHED;
    }
    return state.current != null ? Seen.HELD : Seen.REMOVED;
  }

  /** The holder of the row that this transaction wrote for the identity. */
  Optional<Tuple> current(LookupIndex index, Tuple identity) {
    KeyState state = keys.get(slot(index, identity));
    return state == null ? Optional.empty() : Optional.ofNullable(state.current);
  }

  /** Entries that PRE holds for rows of this transaction: their keys need the key lock. */
  List<Touched> heldInPre() {
    return touched(s -> s.current != null && s.hold != Hold.MAIN, s -> s.current);
  }

  /** Entries to remove in POST. */
  List<Touched> toRemove() {
    return touched(s -> s.current == null && s.base != null, s -> s.base);
  }

  private List<Touched> touched(
      java.util.function.Predicate<KeyState> which,
      java.util.function.Function<KeyState, @Nullable Tuple> holder) {
    List<Touched> touched = new ArrayList<>();
    for (KeyState state : keys.values()) {
      Tuple value = holder.apply(state);
      if (which.test(state) && value != null) {
        touched.add(new Touched(state.index, new Entry(state.identity, value), state.lockedByPre));
      }
    }
    return touched;
  }

  private KeyState state(LookupIndex index, Tuple identity) {
    return keys.computeIfAbsent(slot(index, identity), s -> new KeyState(index, identity));
  }

  /** Equal identities share a slot, whatever their text. */
  private static Slot slot(LookupIndex index, Tuple identity) {
    return new Slot(index.name(), new String(index.canonical(identity), ISO_8859_1));
  }
}
