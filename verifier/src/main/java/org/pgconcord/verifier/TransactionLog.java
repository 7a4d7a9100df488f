package org.pgconcord.verifier;

import java.sql.SQLException;
import java.util.List;
import java.util.function.Consumer;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.Lsn;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.gsi.EntryChange;

/** What the owners' streams brought while somebody asked for it to be kept. */
public interface TransactionLog {
  /**
   * Keeps all transactions that are applied from now on. Returns when every transaction that was
   * applied before is visible to new snapshots of its shard: a commit is in the stream a moment
   * before it is visible, and longer with a synchronous standby.
   */
  void retain(GsiName gsi) throws SQLException, InterruptedException;

  /** Lets go what {@link #retain} kept; once for each call of it. */
  void release(GsiName gsi);

  /** The kept transactions of one stream, each whole or in parts. */
  void forEach(GsiName gsi, ShardId shard, Consumer<Logged> reader);

  /**
   * A transaction, or a part of one.
   *
   * @param xid its id, of which only the low 32 bits count
   * @param commitLsn as progress rows have it
   * @param changes what it did to entries
   */
  record Logged(long xid, Lsn commitLsn, List<EntryChange> changes) {
    public Logged {
      changes = List.copyOf(changes);
    }
  }
}
