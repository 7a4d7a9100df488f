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
   */
  void handle(List<SourceTransaction> transactions, Lsn position) throws SQLException;

  /** Looks again at what is waiting; called often, must be cheap when nothing waits. */
  void review() throws SQLException;

  /** After a failure: nothing of the failed call may linger. */
  void reset();
}
