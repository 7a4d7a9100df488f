package org.pgconcord.cdc.source;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.pgconcord.cdc.change.RowChange;
import org.pgconcord.cdc.change.RowChanges;
import org.pgconcord.cdc.change.SourceTransaction;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.Lsn;
import org.pgconcord.state.store.StateStore;

/**
 * Collects the rows between BEGIN and END to whole transactions. Called by one thread.
 *
 * <p>Everything that could mean a lost or doubled row ends the stream, which then starts again at
 * the slot: a row outside of a transaction, a row of another transaction id, an END with another
 * count of rows than were seen, a commit position that does not grow. A BEGIN while a transaction
 * is open is the reader starting again by itself; what was collected will come again.
 */
final class TransactionAssembler {
  private final StateStore store;
  private final String owner;
  private final int rowsInMemory;
  private final LongSupplier spoolNumbers;
  private @Nullable Open open;
  private Lsn last = Lsn.ZERO;

  /**
   * @param spoolNumbers never the same twice while the stream lives: a transaction that an earlier
   *     engine delivered may still be read from its spool
   */
  TransactionAssembler(
      StateStore store, String owner, int rowsInMemory, LongSupplier spoolNumbers) {
    this.store = store;
    this.owner = owner;
    this.rowsInMemory = rowsInMemory;
    this.spoolNumbers = spoolNumbers;
  }

  private static final class Open {
    final long xid;
    List<RowChange> rows = new ArrayList<>();
    @Nullable Spool spool;
    long count;

    Open(long xid) {
      this.xid = xid;
    }
  }

  void begin(SourceEvent.Begin event) {
    discard();
    open = new Open(event.xid());
  }

  void row(SourceEvent.Row event) {
    Open transaction = openFor(event.xid(), "a row");
    transaction.count++;
    Spool spool = transaction.spool;
    if (spool == null && transaction.rows.size() >= rowsInMemory) {
      spool = new Spool(store, owner, spoolNumbers.getAsLong());
      transaction.spool = spool;
      transaction.rows.forEach(spool::add);
      transaction.rows = List.of();
    }
    if (spool == null) {
      transaction.rows.add(event.change());
    } else {
      spool.add(event.change());
    }
  }

  SourceTransaction end(SourceEvent.End event) {
    Open transaction = openFor(event.xid(), "an END");
    if (transaction.count != event.rows()) {
      throw broken(
          "transaction "
              + event.xid()
              + " ended with "
              + event.rows()
              + " rows, not "
              + transaction.count);
    }
    if (!last.isBefore(event.commitLsn())) {
      throw broken("commit position " + event.commitLsn() + " came after " + last);
    }
    last = event.commitLsn();
    open = null;
    return new SourceTransaction(
        event.xid(), event.commitLsn(), event.commitTime(), changes(transaction));
  }

  /** Forgets an open transaction: it will be sent again. */
  void discard() {
    if (open != null && open.spool != null) {
      open.spool.close();
    }
    open = null;
  }

  private static RowChanges changes(Open transaction) {
    if (transaction.spool == null) {
      return RowChanges.of(transaction.rows);
    }
    transaction.spool.flush();
    return transaction.spool;
  }

  private Open openFor(long xid, String what) {
    if (open == null || open.xid != xid) {
      throw broken(
          what
              + " of transaction "
              + xid
              + " came "
              + (open == null ? "outside of a transaction" : "inside of transaction " + open.xid));
    }
    return open;
  }

  private static RuntimeException broken(String what) {
    return ErrorCode.INTERNAL.because("the change reader broke its order: " + what);
  }
}
