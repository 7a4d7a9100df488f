package org.pgconcord.cdc.source;

import java.time.Instant;
import org.pgconcord.cdc.change.Message;
import org.pgconcord.cdc.change.RowChange;
import org.pgconcord.config.value.Lsn;

/** One record of the engine as we understand it: a closed set. */
sealed interface SourceEvent {
  /** A transaction begins. */
  record Begin(long xid) implements SourceEvent {
    @Override
    public <R> R match(Cases<R> cases) throws InterruptedException {
      return cases.begin(this);
    }
  }

  /** One row of the open transaction. */
  record Row(long xid, RowChange change) implements SourceEvent {
    @Override
    public <R> R match(Cases<R> cases) throws InterruptedException {
      return cases.row(this);
    }
  }

  /**
   * The open transaction has committed.
   *
   * @param rows how many rows the engine says it delivered
   */
  record End(long xid, Lsn commitLsn, Instant commitTime, long rows) implements SourceEvent {
    @Override
    public <R> R match(Cases<R> cases) throws InterruptedException {
      return cases.end(this);
    }
  }

  /** A message outside of transactions. */
  record Mark(Message message) implements SourceEvent {
    @Override
    public <R> R match(Cases<R> cases) throws InterruptedException {
      return cases.mark(this);
    }
  }

  /** A record that says nothing to us, such as the engine's own heartbeat. */
  record Other() implements SourceEvent {
    @Override
    public <R> R match(Cases<R> cases) throws InterruptedException {
      return cases.other(this);
    }
  }

  /** One answer per kind; a case may hand the event on to somebody who blocks. */
  interface Cases<R> {
    R begin(Begin event) throws InterruptedException;

    R row(Row event) throws InterruptedException;

    R end(End event) throws InterruptedException;

    R mark(Mark event) throws InterruptedException;

    R other(Other event) throws InterruptedException;
  }

  <R> R match(Cases<R> cases) throws InterruptedException;
}
