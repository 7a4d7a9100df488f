package org.pgconcord.router.exec;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.value.ShardId;

/** The cursors that a session has declared. They end with their transaction at the latest. */
final class Cursors {
  /** Where a cursor's rows come from. */
  sealed interface Cursor {
    /** One shard's own cursor: it takes all that PostgreSQL has for it. */
    record OnShard(ShardId shard) implements Cursor {}

    /** A stream of the router's: forward only. */
    record Streamed(RowStream rows) implements Cursor {}
  }

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

  void clear() {
    open.clear();
  }
}
