package org.pgconcord.router.tx;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The open savepoints of a transaction, oldest first. A client may use one name several times, the
 * newest counts; on the servers each has a name of its own.
 */
final class Savepoints {
  /**
   * One savepoint.
   *
   * @param name as the client wrote it, folded
   * @param number how many the transaction had set with it
   * @param own its name on the servers
   * @param entriesMark where the entries' changes stood
   * @param written how many shards had been written
   */
  record Savepoint(String name, long number, String own, int entriesMark, int written) {}

  private final List<Savepoint> open = new ArrayList<>();
  private long count;

  long count() {
    return count;
  }

  boolean isEmpty() {
    return open.isEmpty();
  }

  /** Adds one and returns its own name. */
  String set(String name, int entriesMark, int written) {
    String own = "pgconcord_s" + ++count;
    open.add(new Savepoint(name, count, own, entriesMark, written));
    return own;
  }

  Optional<Savepoint> find(String name) {
    for (int i = open.size() - 1; i >= 0; i--) {
      if (open.get(i).name().equals(name)) {
        return Optional.of(open.get(i));
      }
    }
    return Optional.empty();
  }

  /** Those set after it are no more. */
  void dropAfter(Savepoint savepoint) {
    open.subList(open.indexOf(savepoint) + 1, open.size()).clear();
  }

  /** It and those set after it are no more. */
  void drop(Savepoint savepoint) {
    open.subList(open.indexOf(savepoint), open.size()).clear();
  }

  void clear() {
    open.clear();
    count = 0;
  }
}
