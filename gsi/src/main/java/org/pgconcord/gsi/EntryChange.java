package org.pgconcord.gsi;

/** An entry that a row change adds to, or takes from, its lookup table. */
public record EntryChange(Kind kind, Entry entry) {
  /** The sign of a change. */
  public enum Kind {
    ADD,
    REMOVE
  }

  public static EntryChange add(Entry entry) {
    return new EntryChange(Kind.ADD, entry);
  }

  public static EntryChange remove(Entry entry) {
    return new EntryChange(Kind.REMOVE, entry);
  }

  public boolean adds() {
    return kind == Kind.ADD;
  }
}
