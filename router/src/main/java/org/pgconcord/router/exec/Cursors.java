package org.pgconcord.router.exec;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.value.ShardId;

/**
 * The cursors that a session has declared. They end with their transaction at the latest; those
 * WITH HOLD only if it is rolled back.
 */
final class Cursors {
  /** Where a cursor's rows come from. */
  sealed interface Cursor {
    /** One shard's own cursor: it takes all that PostgreSQL has for it. */
    record OnShard(ShardId shard) implements Cursor {}

    /** A stream of the router's: forward only. */
    record Streamed(ForwardCursor rows) implements Cursor {}

    /** Rows that are here; {@code hold} beyond the transaction. */
    record Held(HeldCursor rows, boolean hold) implements Cursor {}
  }

  /** Of a cursor that has outlived its transaction. */
  private static final long COMMITTED = -1;

  private record Declared(Cursor cursor, long savepoints) {}

  private final Map<String, Declared> open = new LinkedHashMap<>();

  /** {@code savepoints}: how many savepoints the transaction had set before. */
  void add(String name, Cursor cursor, long savepoints) {
    open.put(name, new Declared(cursor, savepoints));
  }

  @Nullable Cursor find(String name) {
    Declared found = open.get(name);
    return found == null ? null : found.cursor();
  }

  void remove(String name) {
    open.remove(name);
  }

  List<String> names() {
    return new ArrayList<>(open.keySet());
  }

  /** The transaction was rolled back to its savepoint of this number; earlier ones stay. */
  void rolledBackTo(long savepoint) {
    open.values().removeIf(declared -> declared.savepoints() >= savepoint);
  }

  /** The transaction has been committed. */
  void committed() {
    open.replaceAll(
        (name, declared) ->
            declared.cursor() instanceof Cursor.Held held && held.hold()
                ? new Declared(held, COMMITTED)
                : declared);
  }

  /** The transaction is over, however. */
  void ended() {
    open.values().removeIf(declared -> declared.savepoints() != COMMITTED);
  }

  void clear() {
    open.clear();
  }

  /** Bytes of the rows that are here. */
  long held() {
    return open.values().stream()
        .mapToLong(d -> d.cursor() instanceof Cursor.Held held ? held.rows().bytes() : 0)
        .sum();
  }
}
