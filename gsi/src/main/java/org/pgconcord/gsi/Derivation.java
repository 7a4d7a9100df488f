package org.pgconcord.gsi;

import java.util.Optional;

/** What one row means to one index: a closed set. */
public sealed interface Derivation {
  /** The row owns this entry. */
  record Owns(Entry entry) implements Derivation {
    @Override
    public <R> R match(Cases<R> cases) {
      return cases.owns(entry);
    }
  }

  /** The indexed value is NULL and the index ignores NULL: no entry, nothing to check. */
  record Ignored() implements Derivation {
    @Override
    public <R> R match(Cases<R> cases) {
      return cases.ignored();
    }
  }

  /** A NULL in {@code column}, which the index does not allow: no write may leave such a row. */
  record NullViolation(String column) implements Derivation {
    @Override
    public <R> R match(Cases<R> cases) {
      return cases.nullViolation(column);
    }
  }

  /** One answer per kind. */
  interface Cases<R> {
    R owns(Entry entry);

    R ignored();

    R nullViolation(String column);
  }

  <R> R match(Cases<R> cases);

  /** The entry, when the row owns one. */
  default Optional<Entry> owned() {
    return this instanceof Owns owns ? Optional.of(owns.entry()) : Optional.empty();
  }
}
