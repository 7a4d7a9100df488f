package org.pgconcord.config.json;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/** Finds the known word that a mistyped one was probably meant to be. */
public final class DidYouMean {
  private DidYouMean() {}

  /** {@code " (did you mean "uid"?)"}, or the empty text when no word is near. */
  public static String hint(String word, Collection<String> known) {
    return nearest(word, known).map(k -> " (did you mean \"" + k + "\"?)").orElse("");
  }

  /** The nearest known word within a third of the word's length, at least one edit. */
  public static Optional<String> nearest(String word, Collection<String> known) {
    int limit = Math.max(1, word.length() / 3);
    String folded = word.toLowerCase(Locale.ROOT);
    return known.stream()
        .filter(k -> distance(folded, k.toLowerCase(Locale.ROOT)) <= limit)
        .min(
            Comparator.comparingInt((String k) -> distance(folded, k.toLowerCase(Locale.ROOT)))
                .thenComparing(Comparator.naturalOrder()));
  }

  /** Levenshtein's distance, a swap of neighbours counting as one edit. */
  static int distance(String a, String b) {
    int[][] d = new int[a.length() + 1][b.length() + 1];
    for (int i = 0; i <= a.length(); i++) {
      for (int j = 0; j <= b.length(); j++) {
        d[i][j] = i == 0 || j == 0 ? i + j : cell(d, a, b, i, j);
      }
    }
    return d[a.length()][b.length()];
  }

  private static int cell(int[][] d, String a, String b, int i, int j) {
    int substitution = d[i - 1][j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
    int best = Math.min(substitution, Math.min(d[i - 1][j], d[i][j - 1]) + 1);
    boolean swapped =
        i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1);
    return swapped ? Math.min(best, d[i - 2][j - 2] + 1) : best;
  }
}
