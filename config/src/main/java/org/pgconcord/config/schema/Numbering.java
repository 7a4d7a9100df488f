package org.pgconcord.config.schema;

import java.util.Collection;
import java.util.Optional;
import org.pgconcord.config.value.TableName;

/**
 * The sequence from which a column takes its default: of an identity, a {@code serial} or a {@code
 * nextval} written out.
 *
 * @param sequence its name
 * @param always an identity that is GENERATED ALWAYS
 * @param start {@code START WITH}
 * @param increment {@code INCREMENT BY}, never 0
 * @param minimum {@code MINVALUE}
 * @param maximum {@code MAXVALUE}
 * @param unfit why nobody but the shard can give its numbers; empty when a router can
 */
public record Numbering(
    TableName sequence,
    boolean always,
    long start,
    long increment,
    long minimum,
    long maximum,
    Optional<String> unfit) {

  /** Whether no two of these sequences give one number: one step, and no two starts in step. */
  public static boolean disjoint(Collection<Numbering> sequences) {
    long steps = sequences.stream().map(Numbering::increment).distinct().count();
    long residues =
        sequences.stream()
            .map(s -> Math.floorMod(s.start(), Math.abs(s.increment())))
            .distinct()
            .count();
    return steps == 1 && residues == sequences.size();
  }

  /**
   * One column's sequences on its shards as one: unfit where any is, or where they differ; empty
   * where the shards' own sequences never give one number twice.
   */
  public static Optional<Numbering> over(Collection<Numbering> shards) {
    if (shards.isEmpty() || (shards.size() > 1 && disjoint(shards))) {
      return Optional.empty();
    }
    Numbering first = shards.iterator().next();
    Optional<String> unfit = shards.stream().flatMap(n -> n.unfit().stream()).findFirst();
    return Optional.of(first.unfit(unfit.or(() -> difference(shards))));
  }

  private static Optional<String> difference(Collection<Numbering> shards) {
    boolean differ =
        shards.stream().map(n -> n.withStart(0).unfit(Optional.empty())).distinct().count() > 1;
    return differ
        ? Optional.of("its sequences have other names or limits on some shards")
        : Optional.empty();
  }

  private Numbering withStart(long other) {
    return new Numbering(sequence, always, other, increment, minimum, maximum, unfit);
  }

  private Numbering unfit(Optional<String> why) {
    return new Numbering(sequence, always, start, increment, minimum, maximum, why);
  }
}
