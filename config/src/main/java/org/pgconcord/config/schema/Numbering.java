package org.pgconcord.config.schema;

import java.util.Collection;

/**
 * The sequence from which a column takes its default: of an identity, a {@code serial} or a {@code
 * nextval} written out.
 *
 * @param start {@code START WITH}
 * @param increment {@code INCREMENT BY}, never 0
 */
public record Numbering(long start, long increment) {

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
}
