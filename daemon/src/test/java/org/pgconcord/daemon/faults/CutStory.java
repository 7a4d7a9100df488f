package org.pgconcord.daemon.faults;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** One transaction of a client, as often as it is cut: each time with rows of its own. */
sealed interface CutStory permits RowStory, FormStory {
  /** Which table a story is about. */
  enum Table {
    /** A strict index. */
    USERS,
    /** A reference table. */
    COUNTRIES,
    /** An extended index whose entries answer by themselves. */
    MEMBERS;

    boolean hasIndex() {
      return this != COUNTRIES;
    }

    String sql() {
      return name().toLowerCase(java.util.Locale.ROOT);
    }
  }

  static List<CutStory> all() {
    return Stream.<CutStory>concat(Stream.of(RowStory.values()), Stream.of(FormStory.values()))
        .toList();
  }

  String name();

  Table table();

  /** What has to be there, written in order. */
  default List<String> before(CutRows rows) {
    return List.of();
  }

  /** What is put into the lookup table behind every router's back. */
  default List<String> surplus(CutRows rows) {
    return List.of();
  }

  /** One after the other; of a COPY the first line is the statement, the rest is its data. */
  List<String> statements(CutRows rows);

  /** The rows of the story when all of it has happened. */
  Set<String> after(CutRows rows);

  /** Whether these rows are what the first of two commits leaves without the second. */
  default boolean partly(CutRows rows, Set<String> found) {
    return false;
  }

  /** Whether it runs in two phases in every mode. */
  default boolean alwaysAtomic() {
    return false;
  }

  static Set<String> set(String... rows) {
    return new TreeSet<>(List.of(rows));
  }
}
