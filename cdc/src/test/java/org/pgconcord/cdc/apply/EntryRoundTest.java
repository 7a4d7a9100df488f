package org.pgconcord.cdc.apply;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.value.Tuple;
import org.pgconcord.gsi.Entry;
import org.pgconcord.gsi.EntryChange;

class EntryRoundTest {
  private static final Entry X1 = new Entry(Tuple.of("x"), Tuple.of("1"));
  private static final Entry X2 = new Entry(Tuple.of("x"), Tuple.of("2"));
  private final EntryRound round = new EntryRound();

  @Test
  void whatWasDoneLastToAnEntryIsDone() {
    round.add(EntryChange.add(X1));
    round.add(EntryChange.remove(X1));
    round.add(EntryChange.remove(X2));
    round.add(EntryChange.add(X2));
    assertThat(round.removals()).containsExactly(X1);
    assertThat(round.additions()).containsExactly(X2);
  }

  /** Routers have added the entry before the stream is replayed; its row is gone again. */
  @Test
  void aReplayRemovesWhatIsThereAlreadyAndGoneInTheEnd() {
    Map<Tuple, Tuple> table = new HashMap<>(Map.of(Tuple.of("x"), Tuple.of("1")));
    round.add(EntryChange.add(X1));
    round.add(EntryChange.remove(X1));
    apply(table);
    assertThat(table).isEmpty();
  }

  @Test
  void aKeyMovesByARemovalAndAnAddition() {
    round.add(EntryChange.remove(X1));
    assertThat(round.fits(EntryChange.add(X2))).isTrue();
    round.add(EntryChange.add(X2));
    assertThat(round.removals()).containsExactly(X1);
    assertThat(round.additions()).containsExactly(X2);
  }

  @Test
  void aSecondOwnerOfAKeyDoesNotFit() {
    round.add(EntryChange.add(X1));
    assertThat(round.fits(EntryChange.add(X2))).isFalse();
    assertThat(round.fits(EntryChange.add(X1))).isTrue();
    round.add(EntryChange.remove(X1));
    assertThat(round.fits(EntryChange.add(X2))).isTrue();
  }

  @Test
  void entriesAreSortedByKey() {
    List<Entry> entries =
        List.of(
            new Entry(Tuple.of("b"), Tuple.of("1")),
            new Entry(Tuple.of("a"), Tuple.of("2")),
            new Entry(Tuple.of("c"), Tuple.of("3")));
    entries.forEach(entry -> round.add(EntryChange.add(entry)));
    assertThat(round.additions())
        .extracting(e -> e.identity().get(0))
        .containsExactly("a", "b", "c");
  }

  /** Any history of one shard, cut into rounds anywhere, ends in the entries of its rows. */
  @RepeatedTest(20)
  void roundsEndWhereTheHistoryEnds() {
    RandomGenerator random = RandomGenerator.getDefault();
    Map<Entry, Integer> rows = new HashMap<>();
    Map<Tuple, Tuple> table = new HashMap<>();
    for (int step = 0; step < 2_000; step++) {
      Entry entry =
          new Entry(Tuple.of("k" + random.nextInt(20)), Tuple.of("t" + random.nextInt(4)));
      boolean present = rows.getOrDefault(entry, 0) > 0;
      boolean taken =
          rows.entrySet().stream()
              .anyMatch(r -> r.getValue() > 0 && r.getKey().identity().equals(entry.identity()));
      if (!present && taken) {
        continue;
      }
      EntryChange change = present ? EntryChange.remove(entry) : EntryChange.add(entry);
      rows.put(entry, present ? 0 : 1);
      if (!round.fits(change) || random.nextInt(50) == 0) {
        apply(table);
      }
      round.add(change);
    }
    apply(table);
    List<Entry> left = new ArrayList<>();
    table.forEach((key, shardKey) -> left.add(new Entry(key, shardKey)));
    List<Entry> expected =
        rows.entrySet().stream().filter(r -> r.getValue() > 0).map(Map.Entry::getKey).toList();
    assertThat(left).containsExactlyInAnyOrderElementsOf(expected);
  }

  private void apply(Map<Tuple, Tuple> table) {
    round.removals().forEach(entry -> table.remove(entry.identity(), entry.holder()));
    round.additions().forEach(entry -> table.putIfAbsent(entry.identity(), entry.holder()));
    round.clear();
  }
}
