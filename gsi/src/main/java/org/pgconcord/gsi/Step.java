package org.pgconcord.gsi;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.value.ShardId;

/** Where a settlement stands: a command to run, or its end. */
public sealed interface Step {
  /** Run the command, then go on with its rows. */
  record Send(Command command, Continuation then) implements Step {}

  /**
   * Nothing is left to do, and no lock that the settlement itself took on an owner shard is held.
   */
  record Done(Outcome outcome) implements Step {}

  /** From the rows of a command to the next step. */
  interface Continuation {
    /**
     * @param rows the values as text, by row and column
     */
    Step answer(List<List<@Nullable String>> rows);
  }

  /** A statement and the service-role session that runs it. */
  record Command(Place place, EntryStatement statement) {}

  /**
   * One of a settlement's sessions. The lookup session holds the entry's row lock and an owner
   * session the key lock, so they are two even when both shards are one.
   */
  record Place(Session session, ShardId shard) {}

  /** The two kinds of sessions. */
  enum Session {
    LOOKUP,
    OWNER
  }
}
