package org.pgconcord.router.plan;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.LongStream;
import org.pgconcord.router.sql.StatementText;
import org.pgconcord.router.sql.Tokens;

/**
 * Where the router's numbers go in a statement.
 *
 * @param edits in the order of the text
 * @param slots the sequences that numbers come from
 */
public record NumberEdits(List<Edit> edits, List<Slot> slots) {
  public NumberEdits {
    edits = edits.stream().sorted(Comparator.comparingInt(Edit::from)).toList();
    slots = List.copyOf(slots);
  }

  /**
   * A change of the text: tokens go, and something comes in their place.
   *
   * @param from the first token that goes
   * @param to behind the last; {@code from} when none goes
   * @param before written before the number
   * @param slot the place among the slots of the number; -1 for none
   * @param after written behind the number
   */
  public record Edit(int from, int to, String before, int slot, String after) {
    static Edit text(int at, String text) {
      return new Edit(at, at, text, -1, "");
    }

    private Edit moved(int slots) {
      return slot < 0 ? this : new Edit(from, to, before, slot + slots, after);
    }
  }

  /**
   * Numbers of one sequence.
   *
   * @param count how many, one after the other
   * @param current the number that the session had last, instead of new ones
   */
  public record Slot(NumberedSequence sequence, int count, boolean current) {}

  /** Both together. */
  NumberEdits and(NumberEdits other) {
    List<Slot> both = new ArrayList<>(slots);
    both.addAll(other.slots);
    List<Edit> all = new ArrayList<>(edits);
    other.edits.forEach(edit -> all.add(edit.moved(slots.size())));
    return new NumberEdits(all, both);
  }

  /**
   * The statement with its numbers.
   *
   * @param numbers as many for each slot as it needs
   */
  public StatementText apply(StatementText text, List<long[]> numbers) {
    Tokens tokens = text.tokens();
    int[] used = new int[slots.size()];
    StringBuilder sql = new StringBuilder(text.sql().length() + 16 * edits.size());
    int copied = 0;
    for (Edit edit : edits) {
      int at = edit.to() > edit.from() ? tokens.start(edit.from()) : tokens.end(edit.from() - 1);
      sql.append(text.sql(), copied, at).append(edit.before());
      if (edit.slot() >= 0) {
        long[] own = numbers.get(edit.slot());
        sql.append(own[slots.get(edit.slot()).current() ? 0 : used[edit.slot()]++]);
      }
      sql.append(edit.after());
      copied = edit.to() > edit.from() ? tokens.end(edit.to() - 1) : at;
    }
    return StatementText.one(sql.append(text.sql(), copied, text.sql().length()).toString());
  }

  /** The statement as it would be with the numbers 1, 2, ... */
  StatementText sample(StatementText text) {
    List<long[]> numbers = new ArrayList<>();
    slots.forEach(s -> numbers.add(LongStream.rangeClosed(1, Math.max(1, s.count())).toArray()));
    return apply(text, numbers);
  }
}
