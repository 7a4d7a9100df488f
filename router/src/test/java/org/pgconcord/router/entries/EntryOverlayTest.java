package org.pgconcord.router.entries;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.pgconcord.config.value.Tuple;
import org.pgconcord.gsi.Entry;
import org.pgconcord.gsi.LookupIndex;
import org.pgconcord.router.entries.EntryOverlay.Adding;
import org.pgconcord.router.entries.EntryOverlay.Hold;
import org.pgconcord.router.entries.EntryOverlay.Removing;
import org.pgconcord.router.entries.EntryOverlay.Seen;
import org.pgconcord.router.tx.UsersIndex;

class EntryOverlayTest {
  private static final LookupIndex INDEX = UsersIndex.INDEX;
  private static final Entry X1 = new Entry(Tuple.of("x"), Tuple.of("1"));
  private static final Entry X2 = new Entry(Tuple.of("x"), Tuple.of("2"));

  private final EntryOverlay overlay = new EntryOverlay(() -> false);

  @Test
  void aKeyThatNobodyTouchedIsClaimed() {
    assertThat(overlay.adding(INDEX, X1)).isEqualTo(Adding.CLAIM);
    assertThat(overlay.seen(INDEX, Tuple.of("x"))).isEqualTo(Seen.UNTOUCHED);
  }

  @Test
  void aRowOfTheTransactionHoldsItsKey() {
    overlay.added(INDEX, X1, Hold.PRE_ADDED);

    assertThat(overlay.adding(INDEX, X2)).isEqualTo(Adding.DUPLICATE);
    assertThat(overlay.current(INDEX, Tuple.of("x"))).contains(Tuple.of("1"));
    assertThat(overlay.heldInPre()).extracting(EntryOverlay.Touched::entry).containsExactly(X1);
    assertThat(overlay.toRemove()).isEmpty();
  }

  @Test
  void whatMainHoldsNeedsNoKeyLock() {
    overlay.added(INDEX, X1, Hold.MAIN);
    assertThat(overlay.heldInPre()).isEmpty();
  }

  @Test
  void aDeletedRowsEntryGoesAtCommit() {
    assertThat(overlay.removing(INDEX, X1)).isEqualTo(Removing.AT_COMMIT);
    overlay.removed(INDEX, X1, false);

    assertThat(overlay.seen(INDEX, Tuple.of("x"))).isEqualTo(Seen.REMOVED);
    assertThat(overlay.toRemove()).containsExactly(new EntryOverlay.Touched(INDEX, X1, false));
  }

  @Test
  void deleteThenInsertOfTheSameEntryCancels() {
    overlay.removed(INDEX, X1, false);
    assertThat(overlay.adding(INDEX, X1)).isEqualTo(Adding.CLAIM);
    overlay.added(INDEX, X1, Hold.PRE_KEPT);

    assertThat(overlay.toRemove()).isEmpty();
    assertThat(overlay.heldInPre()).hasSize(1);
  }

  @Test
  void deleteThenInsertUnderAnotherShardKeyMoves() {
    overlay.removed(INDEX, X1, false);
    assertThat(overlay.adding(INDEX, X2)).isEqualTo(Adding.MOVES);
  }

  @Test
  void aKeyThatIsUndoneWhereItWasWrittenIsFreeAgain() {
    overlay.added(INDEX, X1, Hold.PRE_TAKEN);
    assertThat(overlay.removing(INDEX, X1)).isEqualTo(Removing.DELETE_IN_PRE);
    overlay.removed(INDEX, X1, true);

    assertThat(overlay.seen(INDEX, Tuple.of("x"))).isEqualTo(Seen.UNTOUCHED);
    assertThat(overlay.adding(INDEX, X2)).isEqualTo(Adding.CLAIM);
    assertThat(overlay.toRemove()).isEmpty();
  }

  @Test
  void mainUndoesItsOwn() {
    overlay.added(INDEX, X1, Hold.MAIN);
    assertThat(overlay.removing(INDEX, X1)).isEqualTo(Removing.UNDO_IN_MAIN);
  }

  @Test
  void anEntryThatPreOnlyKeptGoesAfterPresCommit() {
    overlay.removed(INDEX, X1, false);
    overlay.added(INDEX, X1, Hold.PRE_KEPT);
    assertThat(overlay.removing(INDEX, X1)).isEqualTo(Removing.AT_COMMIT);
    overlay.removed(INDEX, X1, false);

    assertThat(overlay.toRemove()).containsExactly(new EntryOverlay.Touched(INDEX, X1, true));
  }
}
