package org.pgconcord.cdc.apply;

import java.time.Clock;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.pgconcord.cdc.change.ChangeListener;
import org.pgconcord.cdc.change.ChangeStream;
import org.pgconcord.cdc.change.Message;
import org.pgconcord.cdc.change.SourceTransaction;
import org.pgconcord.cdc.change.StreamName;
import org.pgconcord.config.value.Lsn;
import org.pgconcord.gsi.LookupIndex;

/**
 * The stream of one tail and the queue between them. The stream's thread calls the listener's
 * methods; everything else belongs to the tail's thread, but {@link #wake}.
 */
final class TailStream implements ChangeListener {
  private static final long QUEUE_ROWS = 30_000;

  private final StreamName name;
  private final StreamFactory streams;
  private final Clock clock;
  private volatile EventQueue queue = new EventQueue(QUEUE_ROWS);
  private volatile @Nullable Throwable end;
  private @Nullable ChangeStream stream;

  TailStream(StreamName name, StreamFactory streams, Clock clock) {
    this.name = name;
    this.streams = streams;
    this.clock = clock;
  }

  /** Begins again at the slot's confirmed position, with what these indexes need. */
  void restart(Collection<LookupIndex> indexes) {
    stop();
    end = null;
    queue = new EventQueue(QUEUE_ROWS);
    ChangeStream next = streams.open(name, indexes);
    stream = next;
    next.start(this);
  }

  /** Closing the queue first frees a stream that waits for room in it. */
  void stop() {
    queue.close();
    if (stream != null) {
      stream.close();
      stream = null;
    }
  }

  List<EventQueue.Event> take(long rows, Duration limit) throws InterruptedException {
    return queue.take(rows, limit);
  }

  /** Ends a {@link #take} that waits; any thread. */
  void wake() {
    queue.wake();
  }

  void acknowledge(Lsn durable) {
    if (stream != null) {
      stream.acknowledge(durable);
    }
  }

  /** Why the stream ended for good, once. */
  Optional<Throwable> takeEnd() {
    Optional<Throwable> taken = Optional.ofNullable(end);
    end = null;
    return taken;
  }

  @Override
  public void transaction(SourceTransaction transaction) throws InterruptedException {
    queue.put(new EventQueue.Event(transaction, transaction.commitLsn(), transaction.commitTime()));
  }

  @Override
  public void message(Message message) throws InterruptedException {
    queue.put(new EventQueue.Event(null, message.lsn(), clock.instant()));
  }

  @Override
  public void ended(@Nullable Throwable cause) {
    end = cause;
    queue.wake();
  }
}
