package org.pgconcord.verifier.sum;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A half-open range of keys in their text form; null is an open end.
 *
 * @param lower the least key in the range
 * @param upper the least key above it
 */
public record KeyBounds(@Nullable String lower, @Nullable String upper) {
  public static final KeyBounds ALL = new KeyBounds(null, null);

  /** The ranges between ascending cuts inside this one, in order. */
  public List<KeyBounds> cut(List<String> cuts) {
    List<KeyBounds> parts = new ArrayList<>();
    String from = lower;
    for (String cut : cuts) {
      parts.add(new KeyBounds(from, cut));
      from = cut;
    }
    parts.add(new KeyBounds(from, upper));
    return parts;
  }
}
