package org.pgconcord.gsi;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.value.Tuple;

class EntryDeriverTest {
  private final EntryDeriver strict = new EntryDeriver(Indexes.byEmail(false));
  private final EntryDeriver lenient = new EntryDeriver(Indexes.byEmail(true));

  @Test
  void aRowOwnsTheEntryOfItsKeyAndShardKey() {
    assertThat(strict.derive(row("x", "7")))
        .isEqualTo(new Derivation.Owns(new Entry(Tuple.of("x"), Tuple.of("7"))));
  }

  @Test
  void aNullKeyIsIgnoredOrRefusedAsTheIndexSays() {
    assertThat(lenient.derive(row(null, "7"))).isEqualTo(new Derivation.Ignored());
    assertThat(strict.derive(row(null, "7"))).isEqualTo(new Derivation.NullViolation("email"));
  }

  @Test
  void aNullShardKeyIsAlwaysRefused() {
    assertThat(lenient.derive(row("x", null))).isEqualTo(new Derivation.NullViolation("tenant_id"));
    assertThat(lenient.derive(row(null, null)))
        .isEqualTo(new Derivation.NullViolation("tenant_id"));
  }

  @Test
  void changesRemoveBeforeTheyAdd() {
    assertThat(strict.changes(row("x", "7"), row("y", "7")))
        .containsExactly(
            EntryChange.remove(new Entry(Tuple.of("x"), Tuple.of("7"))),
            EntryChange.add(new Entry(Tuple.of("y"), Tuple.of("7"))));
    assertThat(strict.changes(null, row("x", "7")))
        .containsExactly(EntryChange.add(new Entry(Tuple.of("x"), Tuple.of("7"))));
    assertThat(strict.changes(row("x", "7"), null))
        .containsExactly(EntryChange.remove(new Entry(Tuple.of("x"), Tuple.of("7"))));
    assertThat(strict.changes(row("x", "7"), row("x", "7"))).isEmpty();
    assertThat(lenient.changes(row(null, "7"), row("x", "7")))
        .containsExactly(EntryChange.add(new Entry(Tuple.of("x"), Tuple.of("7"))));
  }

  /** Changes applied one by one leave the index that the final rows derive. */
  @RepeatedTest(50)
  void anyHistoryLeavesTheIndexOfItsFinalRows(RepetitionInfo repetition) {
    Random random = new Random(repetition.getCurrentRepetition());
    Map<Integer, RowImage> rows = new HashMap<>();
    Map<Tuple, Tuple> index = new HashMap<>();
    for (int step = 0; step < 300; step++) {
      int id = random.nextInt(12);
      RowImage before = rows.get(id);
      RowImage after = before != null && random.nextInt(3) == 0 ? null : freeRow(random, rows);
      for (EntryChange change : lenient.changes(before, after)) {
        apply(index, change);
      }
      if (after == null) {
        rows.remove(id);
      } else {
        rows.put(id, after);
      }
    }
    Map<Tuple, Tuple> expected = new HashMap<>();
    rows.values().stream()
        .map(lenient::derive)
        .map(Derivation::owned)
        .flatMap(Optional::stream)
        .forEach(e -> expected.put(e.identity(), e.holder()));
    assertThat(index).isEqualTo(expected);
  }

  private static void apply(Map<Tuple, Tuple> index, EntryChange change) {
    Entry entry = change.entry();
    if (change.adds()) {
      assertThat(index.put(entry.identity(), entry.holder())).isNull();
    } else {
      assertThat(index.remove(entry.identity(), entry.holder())).isTrue();
    }
  }

  /** A row whose key no other row has, or is NULL. */
  private static RowImage freeRow(Random random, Map<Integer, RowImage> rows) {
    while (true) {
      String key = random.nextInt(6) == 0 ? null : "k" + random.nextInt(40);
      boolean taken =
          key != null && rows.values().stream().anyMatch(r -> key.equals(r.value("email")));
      if (!taken) {
        return row(key, Integer.toString(random.nextInt(4)));
      }
    }
  }

  private static RowImage row(@Nullable String email, @Nullable String tenant) {
    Map<String, @Nullable String> values = new LinkedHashMap<>();
    values.put("tenant_id", tenant);
    values.put("user_id", "1");
    values.put("email", email);
    return new RowImage(values);
  }
}
