package org.pgconcord.cdc.apply;

import java.sql.SQLException;
import java.util.List;
import org.pgconcord.cdc.change.SourceTransaction;
import org.pgconcord.config.value.Lsn;

/** One way of serving one index from one stream. Called by the tail's thread alone. */
interface Target {
  /**
   * Makes the transactions' effect durable, with everything before them.
   *
   * @param transactions in commit order, none of them at or before an earlier {@code position}
   * @param position the last one's, or a later message's
   * @return whether the progress row moved to {@code position}; false when nothing concerned us
   */
  boolean handle(List<SourceTransaction> transactions, Lsn position) throws SQLException;

  /** Moves the progress row to a position up to which nothing concerned the index. */
  void advance(Lsn position) throws SQLException;

  /** Looks again at what is waiting; called often, must be cheap when nothing waits. */
  void review() throws SQLException;

  /** After a failure: nothing of the failed call may linger. */
  void reset();
}
