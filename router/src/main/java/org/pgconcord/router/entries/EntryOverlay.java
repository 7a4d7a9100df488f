package org.pgconcord.router.entries;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
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
 * PRE, MAINs and POST are transactions that wait for each other's locks, and no server sees that
 * they are one session. Such cases are therefore found here, before anything is sent.
 *
 * <ul>
 *   <li>A key whose current row goes again is undone where it was written: PRE's own insert or
 *       takeover is deleted in PRE, MAIN's in MAIN; an entry that PRE only keeps is removed in
 *       POST, which runs after PRE has committed.
 *   <li>A key that PRE has touched stays with PRE, even for a row on the lookup's own server: PRE
 *       may hold its entry, or an insert and delete of it that are not committed, and MAIN would
 *       wait for either.
 *   <li>A key that the MAIN on the lookup's server has touched cannot go to PRE for the same
 *       reason; it is refused as one that moves.
 *   <li>A key that this transaction deleted under one holder cannot be written under another:
 *       before MAIN commits the entry would name a row that is not there, after it a row that is
 *       gone, and a crash would keep it so. Only two-phase commit orders that: the entry is given
 *       to its new holder in POST at COMMIT. Where PRE or MAIN have touched the key POST would wait
 *       for them; that is refused.
 *   <li>In a transaction that will commit in two phases anyway, an entry whose row is written again
 *       under its holder is not locked in PRE either: POST would have to remove it if that row goes
 *       too. Until COMMIT it names the row that is being deleted, which keeps others away.
 * </ul>
 *
 * <h2>What a row refers to</h2>
 *
 * The mapping to which a row of a referrer points (docs/decisions/0017-referrers.md) is noted with
 * its key: the row that has it cannot be removed any more, nor another be given the key, for which
 * PRE would wait for POST.
 *
 * <h2>Savepoints</h2>
 *
 * From the first {@link #mark} on each change notes what it replaced; {@link #rollbackTo} puts that
 * back in reverse order. PRE and MAIN undo the same changes by savepoints of their own, so that
 * after it this class says again what the servers hold.
 */
final class EntryOverlay {
  /** How a current row's entry is held. */
  enum Hold {
    PRE_ADDED,
    PRE_KEPT,
    PRE_TAKEN,
    MAIN,
    /** Not yet: POST gives the base's entry to it at COMMIT. */
    MOVED
  }

  /** What to do about a row that was written. */
  enum Adding {
    /** Claim the entry in PRE. */
    CLAIM,
    /** Add the entry in MAIN, which is on the lookup's own server. */
    IN_MAIN,
    /** Another row of this transaction has the key, or refers to the row that has it. */
    DUPLICATE,
    /** The key moves to another holder within the transaction: two-phase commit alone can. */
    MOVES,
    /** The same, and PRE or MAIN hold the entry, so that POST cannot have it. */
    BLOCKED
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

  /**
   * What is known of one key; immutable.
   *
   * @param base the holder of a committed entry whose row this transaction deleted
   * @param current the holder of a row that this transaction wrote
   * @param hold how the current row's entry is held
   * @param byPre PRE has locked or changed the key's entry
   * @param byMain a MAIN has
   * @param referred a row of this transaction refers to the key's mapping
   */
  private record KeyState(
      LookupIndex index,
      Tuple identity,
      @Nullable Tuple base,
      @Nullable Tuple current,
      @Nullable Hold hold,
      boolean byPre,
      boolean byMain,
      boolean referred) {

    static KeyState untouched(LookupIndex index, Tuple identity) {
      return new KeyState(index, identity, null, null, null, false, false, false);
    }

    /** The transaction has changed the entry, or will. */
    boolean touched() {
      return base != null || current != null || byPre || byMain;
    }

    KeyState refer() {
      return new KeyState(index, identity, base, current, hold, byPre, byMain, true);
    }

    KeyState added(Tuple holder, Hold how) {
      boolean main = how == Hold.MAIN;
      return new KeyState(
          index,
          identity,
          how == Hold.PRE_ADDED ? null : base,
          holder,
          how,
          byPre || (!main && how != Hold.MOVED),
          byMain || main,
          referred);
    }

    /** The entry of a moved key still names its base. */
    KeyState gone(@Nullable Tuple left) {
      return removed(hold == Hold.MOVED ? base : left);
    }

    KeyState removed(@Nullable Tuple left) {
      return new KeyState(index, identity, left, null, null, byPre, byMain, referred);
    }
  }

  /** A change that can be undone: what the slot held before, or null for nothing. */
  private record Undo(Slot slot, @Nullable KeyState before) {}

  private final BooleanSupplier inPost;
  private final Map<Slot, KeyState> keys = new LinkedHashMap<>();
  private final List<Undo> undo = new ArrayList<>();
  private boolean undoable;

  /**
   * @param inPost the transaction will commit in two phases: an entry whose row is written again
   *     under the same holder stays with POST, as one that moves
   */
  EntryOverlay(BooleanSupplier inPost) {
    this.inPost = inPost;
  }

  // --- changes ---------------------------------------------------------------------------------

  Adding adding(LookupIndex index, Entry entry) {
    KeyState state = known(index, entry.identity());
    boolean ownServer = index.lookupShard(entry.identity()).equals(index.shardOf(entry));
    if (state.current != null || state.referred) {
      return Adding.DUPLICATE;
    }
    if (state.base != null && !state.base.equals(entry.holder())) {
      return state.byPre || state.byMain ? Adding.BLOCKED : Adding.MOVES;
    }
    if (ownServer && !state.byPre) {
      return Adding.IN_MAIN;
    }
    if (state.byMain) {
      return Adding.BLOCKED;
    }
    return state.base != null && !state.byPre && inPost.getAsBoolean()
        ? Adding.MOVES
        : Adding.CLAIM;
  }

  void added(LookupIndex index, Entry entry, Hold hold) {
    put(slot(index, entry.identity()), known(index, entry.identity()).added(entry.holder(), hold));
  }

  Removing removing(LookupIndex index, Entry entry) {
    KeyState state = known(index, entry.identity());
    if (state.current == null || state.hold == Hold.PRE_KEPT || state.hold == Hold.MOVED) {
      return Removing.AT_COMMIT;
    }
    return state.hold == Hold.MAIN ? Removing.UNDO_IN_MAIN : Removing.DELETE_IN_PRE;
  }

  /** The row is gone; {@code entryGone} says whether its entry is already undone. */
  void removed(LookupIndex index, Entry entry, boolean entryGone) {
    put(
        slot(index, entry.identity()),
        known(index, entry.identity()).gone(entryGone ? null : entry.holder()));
  }

  private void put(Slot slot, KeyState state) {
    KeyState before = keys.put(slot, state);
    if (undoable) {
      undo.add(new Undo(slot, before));
    }
  }

  private KeyState known(LookupIndex index, Tuple identity) {
    KeyState state = keys.get(slot(index, identity));
    return state == null ? KeyState.untouched(index, identity) : state;
  }

  /** An entry whose identity another of them has too: one key, several owner rows. */
  static Optional<ReturnedRows.Found> twice(Collection<ReturnedRows.Found> entries) {
    Map<Slot, Entry> seen = new HashMap<>();
    for (ReturnedRows.Found found : entries) {
      Entry other = seen.put(slot(found.index(), found.entry().identity()), found.entry());
      if (other != null && !other.holder().equals(found.entry().holder())) {
        return Optional.of(found);
      }
    }
    return Optional.empty();
  }

  // --- savepoints ------------------------------------------------------------------------------

  /** This moment, for {@link #rollbackTo}. */
  int mark() {
    undoable = true;
    return undo.size();
  }

  /** Forgets all changes since the moment of {@code mark}. */
  void rollbackTo(int mark) {
    for (int i = undo.size() - 1; i >= mark; i--) {
      Undo change = undo.remove(i);
      if (change.before() == null) {
        keys.remove(change.slot());
      } else {
        keys.put(change.slot(), change.before());
      }
    }
  }

  // --- questions -------------------------------------------------------------------------------

  /** How many keys it knows of. */
  int size() {
    return keys.size();
  }

  Seen seen(LookupIndex index, Tuple identity) {
    KeyState state = keys.get(slot(index, identity));
    if (state == null || (state.current == null && state.base == null)) {
      return Seen.UNTOUCHED;
    }
    return state.current != null ? Seen.HELD : Seen.REMOVED;
  }

  /** True when this transaction has done anything to entries of the index. */
  boolean touches(LookupIndex index) {
    return keys.values().stream()
        .anyMatch(state -> state.touched() && state.index.name().equals(index.name()));
  }

  // --- mappings --------------------------------------------------------------------------------

  /**
   * What is known of the mapping of a key without asking anybody.
   *
   * @param identity an entry with this key that exists, or that COMMIT makes: of a row that this
   *     transaction wrote, or already held for another row of it
   * @param gone entries with this key that are not to be asked for: this transaction has removed
   *     them, and POST would wait for PRE or MAIN
   */
  record Mapping(Optional<Tuple> identity, List<Tuple> gone) {}

  Mapping mapping(LookupIndex index, Tuple key) {
    Optional<Tuple> found = Optional.empty();
    List<Tuple> gone = new ArrayList<>();
    for (KeyState state : withKey(index, key)) {
      if (state.current != null || (state.referred && !state.touched())) {
        found = Optional.of(state.identity);
      } else {
        gone.add(state.identity);
      }
    }
    return new Mapping(found, gone);
  }

  /** The identity of a unique index is the key; of any other all identities are looked at. */
  private List<KeyState> withKey(LookupIndex index, Tuple key) {
    if (index.gsi().unique()) {
      KeyState state = keys.get(slot(index, key));
      return state == null ? List.of() : List.of(state);
    }
    byte[] wanted = index.canonicalKey(key);
    return keys.values().stream()
        .filter(state -> state.index.name().equals(index.name()))
        .filter(
            state ->
                Arrays.equals(
                    wanted, index.canonicalKey(state.identity.part(0, index.key().size()))))
        .toList();
  }

  /** A row of this transaction refers to the mapping, which exists and is held. */
  void refer(LookupIndex index, Tuple identity) {
    put(slot(index, identity), known(index, identity).refer());
  }

  /** A row of this transaction refers to the entry. */
  boolean referred(LookupIndex index, Entry entry) {
    return known(index, entry.identity()).referred;
  }

  /** The holder of the row that this transaction wrote for the identity. */
  Optional<Tuple> current(LookupIndex index, Tuple identity) {
    KeyState state = keys.get(slot(index, identity));
    return state == null ? Optional.empty() : Optional.ofNullable(state.current);
  }

  /** A key whose entry is given from one holder to another. */
  record Moved(LookupIndex index, Entry from, Entry to) {}

  /** Entries that POST gives to rows of this transaction, in one order for all transactions. */
  List<Moved> moved() {
    List<Moved> moved = new ArrayList<>();
    for (KeyState state : keys.values()) {
      if (state.hold == Hold.MOVED && state.base != null && state.current != null) {
        moved.add(
            new Moved(
                state.index,
                new Entry(state.identity, state.base),
                new Entry(state.identity, state.current)));
      }
    }
    moved.sort(
        Comparator.comparing((Moved m) -> m.index().name())
            .thenComparing(m -> m.from().identity()));
    return moved;
  }

  /** PRE, or POST for one that moves, holds these for rows here: their keys need the key lock. */
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
        touched.add(new Touched(state.index, new Entry(state.identity, value), state.byPre));
      }
    }
    return touched;
  }

  /** Equal identities share a slot, whatever their text. */
  private static Slot slot(LookupIndex index, Tuple identity) {
    return new Slot(index.name(), new String(index.canonical(identity), ISO_8859_1));
  }
}
