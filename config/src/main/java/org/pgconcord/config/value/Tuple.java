package org.pgconcord.config.value;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The values of some columns of one row, none of them NULL, in PostgreSQL's text form under the
 * pinned settings. Equal means equal byte by byte, and the order is that of the bytes, value after
 * value: neither is PostgreSQL's, which depends on types.
 */
public record Tuple(List<String> values) implements Comparable<Tuple> {
  /** No columns. */
  public static final Tuple EMPTY = new Tuple(List.of());

  public Tuple {
    values = List.copyOf(values);
  }

  public static Tuple of(String... values) {
    return new Tuple(List.of(values));
  }

  public int size() {
    return values.size();
  }

  public String get(int column) {
    return values.get(column);
  }

  /** The values of the columns {@code [from, to)}. */
  public Tuple part(int from, int to) {
    return new Tuple(values.subList(from, to));
  }

  /** These values, then the other ones. */
  public Tuple then(Tuple more) {
    List<String> all = new ArrayList<>(values);
    all.addAll(more.values);
    return new Tuple(all);
  }

  @Override
  public int compareTo(Tuple other) {
    int columns = Math.min(size(), other.size());
    for (int column = 0; column < columns; column++) {
      int compared = Arrays.compareUnsigned(bytes(column), other.bytes(column));
      if (compared != 0) {
        return compared;
      }
    }
    return Integer.compare(size(), other.size());
  }

  private byte[] bytes(int column) {
    return get(column).getBytes(StandardCharsets.UTF_8);
  }

  /** As PostgreSQL prints values after {@code Key (a, b)=}, without the parentheses. */
  @Override
  public String toString() {
    return String.join(", ", values);
  }

  /**
   * One text that {@link #read} takes back: a lone value as it is, several each with its length in
   * characters and a colon before it.
   */
  public String stored() {
    if (size() == 1) {
      return get(0);
    }
    StringBuilder text = new StringBuilder();
    for (String value : values) {
      text.append(value.length()).append(':').append(value);
    }
    return text.toString();
  }

  /**
   * The tuple of a {@link #stored} text.
   *
   * @param size how many values it has
   * @throws IllegalArgumentException when the text is not one of that many values
   */
  public static Tuple read(String stored, int size) {
    if (size == 1) {
      return of(stored);
    }
    List<String> values = new ArrayList<>(size);
    int at = 0;
    for (int i = 0; i < size; i++) {
      int colon = stored.indexOf(':', at);
      if (colon < 0) {
        throw new IllegalArgumentException("a stored tuple has too few values");
      }
      int end = colon + 1 + Integer.parseInt(stored.substring(at, colon));
      if (end > stored.length()) {
        throw new IllegalArgumentException("a stored tuple is cut short");
      }
      values.add(stored.substring(colon + 1, end));
      at = end;
    }
    if (at != stored.length()) {
      throw new IllegalArgumentException("a stored tuple has too many values");
    }
    return new Tuple(values);
  }
}
