package org.pgconcord.verifier.sum;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.value.Tuple;

/**
 * A half-open range of identities; null is an open end.
 *
 * @param lower the least key in the range
 * @param upper the least key above it
 */
public record KeyBounds(@Nullable Tuple lower, @Nullable Tuple upper) {
  public static final KeyBounds ALL = new KeyBounds(null, null);

  /** The ranges between ascending cuts inside this one, in order. */
  public List<KeyBounds> cut(List<Tuple> cuts) {
    List<KeyBounds> parts = new ArrayList<>();
    Tuple from = lower;
    for (Tuple cut : cuts) {
      parts.add(new KeyBounds(from, cut));
      from = cut;
    }
    parts.add(new KeyBounds(from, upper));
    return parts;
  }
}
