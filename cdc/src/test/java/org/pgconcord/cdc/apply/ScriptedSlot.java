package org.pgconcord.cdc.apply;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.pgconcord.cdc.change.ChangeListener;
import org.pgconcord.cdc.change.ChangeStream;
import org.pgconcord.cdc.change.Message;
import org.pgconcord.cdc.change.SourceTransaction;
import org.pgconcord.config.value.Lsn;

/**
 * A slot as a script: it keeps what the test commits, and each stream opened on it delivers
 * everything after the confirmed position, as a server would.
 */
final class ScriptedSlot {
  /** A transaction or a message. */
  private record Event(Lsn position, @Nullable SourceTransaction transaction) {}

  private final List<Event> log = new ArrayList<>();
  private Lsn confirmed = Lsn.ZERO;

  synchronized void commit(SourceTransaction transaction) {
    log.add(new Event(transaction.commitLsn(), transaction));
    notifyAll();
  }

  synchronized void mark(long lsn) {
    log.add(new Event(new Lsn(lsn), null));
    notifyAll();
  }

  synchronized Lsn confirmed() {
    return confirmed;
  }

  synchronized ChangeStream open() {
    int first = 0;
    while (first < log.size() && !confirmed.isBefore(log.get(first).position())) {
      first++;
    }
    return new Stream(first);
  }

  private synchronized void confirm(Lsn position) {
    confirmed = confirmed.isBefore(position) ? position : confirmed;
  }

  private synchronized @Nullable Event await(int at, Stream stream) throws InterruptedException {
    while (at >= log.size() && !stream.closed) {
      wait();
    }
    return stream.closed ? null : log.get(at);
  }

  private synchronized void close(Stream stream) {
    stream.closed = true;
    notifyAll();
  }

  private final class Stream implements ChangeStream {
    private final int first;
    private boolean closed;
    private @Nullable Thread thread;

    Stream(int first) {
      this.first = first;
    }

    @Override
    public void start(ChangeListener listener) {
      Thread started = new Thread(() -> deliver(listener), "scripted-stream");
      thread = started;
      started.start();
    }

    private void deliver(ChangeListener listener) {
      try {
        int at = first;
        for (Event event = await(at, this); event != null; event = await(++at, this)) {
          if (event.transaction() == null) {
            listener.message(new Message("pgconcord", "mark", event.position()));
          } else {
            listener.transaction(event.transaction());
          }
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      listener.ended(null);
    }

    @Override
    public void acknowledge(Lsn durable) {
      confirm(durable);
    }

    @Override
    public void close() {
      ScriptedSlot.this.close(this);
      Thread running = thread;
      try {
        if (running != null) {
          running.join();
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
