package org.pgconcord.backfill;

import java.util.List;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.Tuple;

/**
 * Takes what a build finds wrong with the owners' rows. Each finding is told before the step that
 * found it is marked as done, so a crash repeats it: implementations must not count repetitions.
 * Called from several threads.
 */
public interface BuildFindings {
  /** A row that may not be there: NULL in {@code column}. */
  void nullViolation(GsiName gsi, NullViolation violation);

  /** A key with several owner rows in the snapshots. Only the first got an entry. */
  void duplicate(GsiName gsi, DuplicateKey duplicate);

  /**
   * A row with a NULL that the index does not allow.
   *
   * @param primaryKey the row's primary key values as text, in the key's order
   */
  record NullViolation(ShardId shard, String column, List<String> primaryKey) {
    public NullViolation {
      primaryKey = List.copyOf(primaryKey);
    }
  }

  /**
   * One key and all its owners in the snapshots. The first is the one whose entry was loaded; the
   * others have none and never get one unless somebody keeps them and settles them again.
   */
  record DuplicateKey(Tuple identity, List<Owner> owners) {
    public DuplicateKey {
      owners = List.copyOf(owners);
    }
  }

  /**
   * One owner of a duplicate key.
   *
   * @param holder what its entry says of it beside the key
   * @param primaryKeys the primary keys of its rows as they are now, values as text; empty when no
   *     such row is left
   */
  record Owner(ShardId shard, Tuple holder, List<List<String>> primaryKeys) {
    public Owner {
      primaryKeys = List.copyOf(primaryKeys);
    }
  }
}
