package org.pgconcord.testkit.history;

import java.util.List;

/** One step of a transaction on one list. */
public sealed interface Op {
  String key();

  /** The value is appended nowhere else in the history. */
  record Append(String key, int value) implements Op {
    @Override
    public <R> R match(Cases<R> cases) {
      return cases.append(this);
    }
  }

  /** The list as it was read. */
  record Read(String key, List<Integer> values) implements Op {
    public Read {
      values = List.copyOf(values);
    }

    @Override
    public <R> R match(Cases<R> cases) {
      return cases.read(this);
    }
  }

  <R> R match(Cases<R> cases);

  /** One method per kind. */
  interface Cases<R> {
    R append(Append append);

    R read(Read read);
  }
}
